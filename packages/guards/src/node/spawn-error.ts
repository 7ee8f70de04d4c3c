import { statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { cleanText } from '../clean-text.ts';

/**
 * Why a child process did not start or end:
 *
 * - `command-not-found`: the command is in no folder of PATH, or its path or its interpreter does not exist.
 * - `cwd-not-found`: the working directory does not exist or is no directory.
 * - `not-executable`: the command is a directory, or it or the working directory may not be used (EACCES, EPERM).
 * - `invalid-argument`: the system refuses the command line or the environment (EINVAL, E2BIG, a null byte).
 * - `unavailable`: the system has no process, memory or descriptor left (EAGAIN, EMFILE, ENOMEM), or failed otherwise.
 * - `still-running`: not even SIGKILL ended the process group.
 */
export type SpawnErrorCode =
  'command-not-found' | 'cwd-not-found' | 'not-executable' | 'invalid-argument' | 'unavailable' | 'still-running';

/**
 * The error of a child process that did not start or end. The message says what happened and what to do; it names the
 * command and the working directory and never the arguments or the environment, which may hold credentials. For the
 * same reason it carries no `cause`: Node's errors hold the whole command line.
 */
export class SpawnError extends Error {
  override readonly name = 'SpawnError';
  readonly code: SpawnErrorCode;
  /** The system's own code, such as `ENOENT`, where there is one. */
  readonly systemCode: string | undefined;

  constructor(code: SpawnErrorCode, message: string, systemCode?: string) {
    super(systemCode === undefined ? message : `${message} (${systemCode})`);
    this.code = code;
    this.systemCode = systemCode;
  }
}

/** What was to be started. `path` is the PATH of the child. */
export interface SpawnAttempt {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly path: string | undefined;
}

function shown(text: string): string {
  return `"${cleanText(text, { maxChars: 200 })}"`;
}

function isDirectory(path: string): boolean | undefined {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing or unreadable: for the message it is the same.
    return undefined;
  }
}

function commandNotFound({ command, cwd, path }: SpawnAttempt): string {
  // First, as an argument may well hold a slash: npx -y @scope/name.
  const [program, ...rest] = command.trim().split(/\s+/);
  const isPath = /[\\/]/.test(program ?? '');
  const holdsArguments = rest.length > 0 && (!isPath || isDirectory(resolve(cwd ?? '', program ?? '')) === false);
  if (program !== undefined && holdsArguments) {
    // The rest is not shown: arguments may hold credentials.
    return `the command holds its arguments, too: give ${shown(program)} as the command and the rest as arguments`;
  }
  if (isPath || /[\\/]/.test(command)) {
    const from = cwd === undefined ? '' : ` (a relative path counts from ${shown(cwd)})`;
    return isDirectory(resolve(cwd ?? '', command)) === false
      ? `the file ${shown(command)} exists, but the interpreter in its first line does not: install that, or name it as the command`
      : `there is no file ${shown(command)}${from}: check the path`;
  }
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  const searched =
    folders.length === 0
      ? 'its PATH is empty'
      : `it is in none of the folders of PATH, ${shown(folders.join(delimiter))}`;
  return `the command ${shown(command)} was not found: ${searched}. Install it, or give its full path`;
}

/** The SpawnError for whatever `spawn` threw or emitted before the child ran. */
export function toSpawnError(error: unknown, attempt: SpawnAttempt): SpawnError {
  const systemCode = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  const { command, cwd } = attempt;
  // A missing working directory looks to the system like a missing command.
  const cwdIsDirectory = cwd === undefined ? true : isDirectory(cwd);
  if (cwd !== undefined && cwdIsDirectory !== true && (systemCode === 'ENOENT' || systemCode === 'ENOTDIR')) {
    const fault = cwdIsDirectory === false ? 'is a file' : 'does not exist';
    return new SpawnError(
      'cwd-not-found',
      `the working directory ${shown(cwd)} ${fault}: make it, or correct the setting "cwd"`,
      systemCode,
    );
  }
  switch (systemCode) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new SpawnError('command-not-found', commandNotFound(attempt), systemCode);
    case 'EACCES':
    case 'EPERM': {
      if (isDirectory(resolve(cwd ?? '', command)) === true) {
        const message = `${shown(command)} is a folder: name the program in it that is to be started`;
        return new SpawnError('not-executable', message, systemCode);
      }
      const where = cwd === undefined ? '' : `, or the working directory ${shown(cwd)} may not be entered`;
      const message = `${shown(command)} is not executable${where}: make it executable, or start it through its interpreter`;
      return new SpawnError('not-executable', message, systemCode);
    }
    case 'E2BIG':
      return new SpawnError(
        'invalid-argument',
        `the arguments and the environment for ${shown(command)} are too long for the system: shorten them`,
        systemCode,
      );
    case 'EINVAL':
    case 'ERR_INVALID_ARG_VALUE':
    case 'ERR_INVALID_ARG_TYPE':
      return new SpawnError(
        'invalid-argument',
        `the command line, working directory or environment for ${shown(command)} is invalid: ` +
          'each must be a text without null bytes, and the command must not be empty',
        systemCode,
      );
    default:
      return new SpawnError(
        'unavailable',
        `the system could not start ${shown(command)}: it may be out of processes, memory or descriptors`,
        systemCode,
      );
  }
}
