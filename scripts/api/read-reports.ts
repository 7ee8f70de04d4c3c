import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Answers the API reports of a folder by file name; none where there is no such folder. */
export function readReports(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder).filter((name) => name.endsWith('.api.md'));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
