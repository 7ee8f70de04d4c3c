import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const tag = /\[([A-Z]{2,}-\d\d)\]/g;
const comment = /^\s*(?:\/\/|\/?\*)/;

/** Answers the ids of requirements that stand in brackets in a test file, comments apart. */
export function tagsIn(text: string): ReadonlySet<string> {
  const code = text.split('\n').filter((line) => !comment.test(line));
  return new Set(code.flatMap((line) => [...line.matchAll(tag)].map(([, id = '']) => id)));
}

/** Answers for each id the test files of the workspace at `root` whose test names hold it, sorted. */
export function findTaggedTests(root: string): ReadonlyMap<string, readonly string[]> {
  const files = globSync(['packages/*/test/**/*.ts', 'examples/*/test/**/*.ts'], { cwd: root });
  const found = new Map<string, string[]>();
  for (const file of files.toSorted()) {
    for (const id of tagsIn(readFileSync(join(root, file), 'utf8'))) {
      const known = found.get(id);
      if (known === undefined) found.set(id, [file]);
      else known.push(file);
    }
  }
  return found;
}
