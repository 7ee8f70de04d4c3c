import { constants } from 'node:fs';
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
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
    await makeFolder(dirname(path));
    await writeFile(path, text);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/**
 * Makes the folders that a file needs, and asserts that it may be written there, before there is anything to lose.
 * Throws a failure `file`.
 */
export async function assertWritable(file: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file);
  try {
    await makeFolder(dirname(path));
    const standing = await statOf(path);
    if (standing?.isDirectory() === true) throw new Error('it is a folder');
    await access(standing === undefined ? dirname(path) : path, constants.W_OK);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/**
 * Level by level: Node's own recursive `mkdir` never ends where the system says ENOENT in a folder that is there, as in
 * /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let level = folder; (await statOf(level)) === undefined; level = dirname(level)) {
    // Nothing is above a drive that is not there.
    if (dirname(level) === level) throw new Error('there is no such drive');
    missing.unshift(level);
  }
  for (const level of missing) {
    await mkdir(level).catch((error: unknown) => {
      // Somebody else was faster.
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function cannotWrite(file: string, error: unknown): Failure {
  const reason = codeOf(error) === 'ENOENT' ? 'no folder can be made there' : reasonOf(error);
  return new Failure('file', `${file} cannot be written: ${reason}.`, { cause: error });
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
  const code = codeOf(error);
  return code === 'ENOENT' ? 'there is no such file' : (code ?? error.message);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
