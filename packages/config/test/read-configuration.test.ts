import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, findConfiguration, readConfiguration } from '@switchyard/config';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-config-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const put = (name: string, content: string | Uint8Array): Promise<void> => writeFile(join(folder, name), content);
const read = (name: string): Promise<unknown> => readConfiguration(join(folder, name), { env: {} });

describe('readConfiguration', () => {
  it('reads a file and starts relative paths from its folder', async () => {
    await mkdir(join(folder, 'conf'));
    await put('conf/switchyard.yaml', 'mcpServers: { a: { command: x, cwd: .. } }');
    const { configuration } = await readConfiguration('conf/switchyard.yaml', { cwd: folder, env: {} });
    expect(configuration.folder).toBe(join(folder, 'conf'));
    expect(configuration.mcpServers['a']).toMatchObject({ cwd: folder });
    expect(configuration.audit.path).toBe(join(folder, 'conf/.switchyard/audit.db'));
  });

  it('names the file in problems as it was named to it', async () => {
    await put('s.json', '{ "zzz": 1 }');
    const reading = readConfiguration('./s.json', { cwd: folder, env: {} });
    await expect(reading).rejects.toThrow('./s.json:1:3 unknown key "zzz"');
  });

  it('reads nothing by a relative path without a folder to start from', async () => {
    await expect(readConfiguration('package.json', { env: {} })).rejects.toThrow('package.json: the path is relative');
  });

  it('follows a link to the file, and starts paths from where the link is', async () => {
    await mkdir(join(folder, 'store'));
    await put('store/real.yaml', 'mcpServers: {}');
    await symlink(join(folder, 'store/real.yaml'), join(folder, 'switchyard.yaml'));
    const { configuration } = await readConfiguration(join(folder, 'switchyard.yaml'), { env: {} });
    expect(configuration.folder).toBe(folder);
  });

  it.each<[string, (() => Promise<unknown>) | undefined, string]>([
    ['a missing file', undefined, 's.yaml: there is no such file'],
    [
      'a folder',
      () => mkdir(join(folder, 's.yaml')),
      's.yaml: this is a folder; name a file in it, such as switchyard.yaml',
    ],
    [
      'a circle of links',
      () => symlink('s.yaml', join(folder, 's.yaml')),
      's.yaml: the path runs in a circle of links',
    ],
    [
      'a file that is too large',
      () => put('s.yaml', ' '.repeat(1_048_577)),
      's.yaml: the file is larger than 1048576 bytes',
    ],
    [
      'bytes that are no UTF-8',
      () => put('s.yaml', Uint8Array.of(0x61, 0x3a, 0xff)),
      's.yaml: the file is not valid UTF-8; save it as UTF-8',
    ],
    [
      'UTF-16',
      () => put('s.yaml', Buffer.from('\uFEFFa: 1', 'utf16le')),
      's.yaml: the file is UTF-16; save it as UTF-8',
    ],
    [
      'an empty file',
      () => put('s.yaml', ''),
      's.yaml:1:1 the file holds no configuration; start with mcpServers: and one server',
    ],
  ])('refuses %s', async (_, prepare, message) => {
    await prepare?.();
    await expect(read('s.yaml')).rejects.toThrow(ConfigurationError);
    await expect(read('s.yaml')).rejects.toThrow(message);
  });

  it.each([
    ['what is no regular file', '/dev/null', 'this is no regular file'],
    ['a path through a file', '/dev/null/s.yaml', 'a part of the path is no folder'],
    [
      'a path with a NUL character',
      '/tmp/a\0b.yaml',
      '/tmp/a\\u{0}b.yaml: the file cannot be read (ERR_INVALID_ARG_VALUE)',
    ],
    ['a name that is too long', `/tmp/${'a'.repeat(300)}.yaml`, 'the path is too long'],
  ])('refuses %s', async (_, path, message) => {
    await expect(readConfiguration(path, { env: {} })).rejects.toThrow(ConfigurationError);
    await expect(readConfiguration(path, { env: {} })).rejects.toThrow(message);
  });

  it('reads a file of exactly the largest size', async () => {
    const text = 'mcpServers: {}\n';
    await put('s.yaml', text + '#'.repeat(1_048_576 - text.length));
    await expect(read('s.yaml')).resolves.toMatchObject({ warnings: [] });
  });

  it('leaves a file that it cannot read as it was', async () => {
    await put('s.json', '{ "mcpServers": { "a": ');
    await expect(read('s.json')).rejects.toThrow(ConfigurationError);
    expect(await readFile(join(folder, 's.json'), 'utf8')).toBe('{ "mcpServers": { "a": ');
  });
});

describe('findConfiguration', () => {
  it.each(['switchyard.yaml', 'switchyard.yml', 'switchyard.json', 'switchyard.jsonc'])('finds %s', async (name) => {
    await put(name, '');
    await put('other.yaml', '');
    expect(await findConfiguration(folder)).toBe(join(folder, name));
  });

  it('names what it looked for where there is nothing', async () => {
    await expect(findConfiguration(folder)).rejects.toThrow(
      `${folder}: the folder holds none of switchyard.yaml, switchyard.yml, switchyard.json, switchyard.jsonc`,
    );
  });

  it('does not choose between two', async () => {
    await put('switchyard.json', '');
    await put('switchyard.yaml', '');
    await expect(findConfiguration(folder)).rejects.toThrow('holds both switchyard.yaml and switchyard.json');
  });

  it('refuses a folder that is not there', async () => {
    await expect(findConfiguration(join(folder, 'nowhere'))).rejects.toThrow('nowhere: there is no such');
  });
});
