import { isUtf8 } from 'node:buffer';
import { open, readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { configurationFileNames } from './format.ts';
import { MAX_CONFIGURATION_BYTES, parseConfiguration } from './parse-configuration.ts';
import type { LoadedConfiguration, ParseOptions } from './parse-configuration.ts';
import { createReport } from './report.ts';

/** What {@link readConfiguration} takes: everything that parsing takes but the path, which it is given. */
export type ReadOptions = Omit<ParseOptions, 'path'>;

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is no folder',
  EACCES: 'the file may not be read',
  EPERM: 'the file may not be read',
  ELOOP: 'the path runs in a circle of links',
  ENAMETOOLONG: 'the path is too long',
};

/**
 * Reads and checks a configuration file. Its format follows from its ending: `.yaml`, `.yml`, `.json` or `.jsonc`.
 *
 * A relative `path` needs the option `cwd`; nothing is read from the process itself. The file must be a regular one,
 * hold UTF-8 and at most 1 MiB.
 *
 * @throws {ConfigurationError} when the file cannot be read, and as {@link parseConfiguration} does.
 */
export async function readConfiguration(path: string, options: ReadOptions): Promise<LoadedConfiguration> {
  const file = isAbsolute(path) || options.cwd === undefined ? path : resolve(options.cwd, path);
  // A relative path without a folder is refused there, before anything is looked up.
  const text = isAbsolute(file) ? await readText(file, path) : '';
  return parseConfiguration(text, { ...options, path });
}

/**
 * The path of the one configuration file in a folder: `switchyard.yaml`, `.yml`, `.json` or `.jsonc`.
 *
 * @throws {ConfigurationError} when the folder holds none of them, or more than one.
 */
export async function findConfiguration(folder: string): Promise<string> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    throw refusal(folder, faultOf(error));
  }
  const [first, second] = configurationFileNames.filter((name) => names.includes(name));
  if (first === undefined) {
    throw refusal(folder, `the folder holds none of ${configurationFileNames.join(', ')}`, 'create one of them');
  }
  if (second !== undefined) {
    throw refusal(folder, `the folder holds both ${first} and ${second}`, 'keep one, or name the file to read');
  }
  return join(folder, first);
}

async function readText(file: string, name: string): Promise<string> {
  let bytes: Buffer;
  try {
    const kind = await stat(file);
    if (kind.isDirectory()) {
      throw refusal(name, 'this is a folder', `name a file in it, such as ${configurationFileNames[0]}`);
    }
    // Opening a pipe would wait for a writer that may never come.
    if (!kind.isFile()) throw refusal(name, 'this is no regular file');
    if (kind.size > MAX_CONFIGURATION_BYTES) throw tooLarge(name);
    bytes = await readBounded(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'invalid_configuration') throw error;
    throw refusal(name, faultOf(error));
  }
  if (bytes.length > MAX_CONFIGURATION_BYTES) throw tooLarge(name);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw refusal(name, 'the file is UTF-16', 'save it as UTF-8');
  }
  if (!isUtf8(bytes)) throw refusal(name, 'the file is not valid UTF-8', 'save it as UTF-8');
  return bytes.toString('utf8');
}

/** The file may have grown since it was measured, so one byte more than allowed is asked for. */
async function readBounded(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(MAX_CONFIGURATION_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}

function faultOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return fileFaults[code] ?? `the file cannot be read (${code})`;
}

function tooLarge(name: string): Error {
  return refusal(name, `the file is larger than ${MAX_CONFIGURATION_BYTES} bytes`);
}

function refusal(file: string, message: string, suggestion?: string): Error {
  const report = createReport(file);
  report.refuse({ line: 0, column: 0 }, [], message, suggestion);
  return report.error();
}
