import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A folder for the tests of the calling file, which is removed after the last of them; answers a new path in it. */
export function useTemporaryFolder(): (name: string) => string {
  let folder = '';
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-stores-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return (name) => {
    count += 1;
    return join(folder, String(count), name);
  };
}
