import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { Failure } from '../failure.ts';

const MAX_ALIASES = 100;

/** Reads a text file that the command line names. Throws a failure `file` that says which and why. */
export async function readTextFile(file: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new Failure('file', `${file} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Reads a YAML or JSON file. Throws a failure `file`. */
export async function readDataFile(file: string, cwd: string): Promise<unknown> {
  const text = await readTextFile(file, cwd);
  try {
    return parse(text, { maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    throw new Failure('file', `${file} is neither YAML nor JSON: ${reasonOf(error)}`, { cause: error });
  }
}

/** Writes a text file, with the folders that it needs. Throws a failure `file`. */
export async function writeTextFile(file: string, cwd: string, text: string): Promise<void> {
  const path = resolve(cwd, file);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw new Failure('file', `${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Has work done whose errors say nothing of the file that they are about. */
export function aboutFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || (error.name !== 'TranscriptError' && error.name !== 'SnapshotPlanError'))
      throw error;
    throw new Failure('file', `${file}: ${error.message}.`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : (code ?? error.message);
}
