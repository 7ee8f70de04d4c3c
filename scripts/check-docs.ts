import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { type Finished, root } from './run.ts';

const fence = /^```(\w+) file=(\S+)\n([\s\S]*?)^```$/gm;
const link = /\]\(([^)\s#]+)(?:#[^)]*)?\)/g;

/**
 * Checks the documents: a code block marked `file=PATH` repeats that file, which is compiled and run elsewhere, and a
 * relative link leads to something. With `write`, the blocks are filled in from the files.
 */
export function checkDocs(options: { readonly write: boolean } = { write: false }): Finished {
  const problems: string[] = [];
  for (const document of globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: root })) {
    const path = join(root, document);
    const text = readFileSync(path, 'utf8');
    const filled = text.replace(fence, (block, language: string, file: string, shown: string) => {
      if (!existsSync(join(root, file))) {
        problems.push(`${document}: the code block shows ${file}, which does not exist`);
        return block;
      }
      const source = readFileSync(join(root, file), 'utf8');
      if (shown !== source && !options.write)
        problems.push(`${document}: the code block differs from ${file}; run npm run docs`);
      return `\`\`\`${language} file=${file}\n${source}\`\`\``;
    });
    if (options.write && filled !== text) writeFileSync(path, filled);
    for (const [, target = ''] of text.matchAll(link)) {
      if (/^[a-z]+:/.test(target)) continue;
      if (!existsSync(join(dirname(path), target))) problems.push(`${document}: the link to ${target} leads nowhere`);
    }
  }
  return { code: problems.length > 0 ? 1 : 0, output: problems.join('\n') };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const { code, output } = checkDocs(values);
  if (output !== '') console.log(output);
  process.exitCode = code;
}
