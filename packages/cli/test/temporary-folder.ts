import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with these files, gone when it is disposed of. */
export async function temporaryFolder(files: Readonly<Record<string, string>> = {}) {
  const path = await mkdtemp(join(tmpdir(), 'switchyard-cli-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
