import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, open, realpath, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { createServer, type ResourceReturn, type ResourceSource, silentLogger } from '@switchyard/server';
import { fileHandleResource, fileResource } from '@switchyard/server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type MemoryRoute, openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { readSegment, readSegments } from './segments-of.ts';

let base: string;
let root: string;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'resource-files-')));
  root = join(base, 'root');
  await mkdir(join(root, 'sub'), { recursive: true });
  await mkdir(join(base, 'root-beside'));
  await writeFile(join(base, 'secret.txt'), 'secret');
  await writeFile(join(base, 'root-beside', 'secret.txt'), 'secret');
  await writeFile(join(root, 'a.txt'), 'grüße');
  await writeFile(join(root, 'sub', 'b.txt'), 'b');
  await writeFile(join(root, 'empty.txt'), '');
  await symlink(join(base, 'secret.txt'), join(root, 'link-out'));
  await symlink('../secret.txt', join(root, 'link-up'));
  await symlink(base, join(root, 'folder-out'));
  await symlink('sub/b.txt', join(root, 'link-in'));
  await symlink('loop', join(root, 'loop'));
  await symlink('absent', join(root, 'dangling'));
  await symlink(root, join(base, 'root-link'));
});

afterAll(() => rm(base, { recursive: true, force: true }));

/** A thread that puts a link in the place of a folder and back again, without an end. */
const swap = `
  const { renameSync } = require('node:fs');
  const { parentPort, workerData: root } = require('node:worker_threads');
  parentPort.postMessage('begun');
  for (;;) {
    renameSync(root + '/swapped', root + '/parked');
    renameSync(root + '/link', root + '/swapped');
    renameSync(root + '/swapped', root + '/link');
    renameSync(root + '/parked', root + '/swapped');
  }
`;

function serve(returned: (path: string) => ResourceReturn | Promise<ResourceReturn>): MemoryRoute {
  const server = createServer({ name: 'files', version: '1.0.0' }, { logger: silentLogger }).resourceTemplate(
    'file:///{+path}{?offset,limit}',
    { name: 'file', mimeType: 'text/plain', segments: {}, admit: { path: ['dots', 'control', 'escape', 'slash'] } },
    ({ path }) => returned(String(path)),
  );
  return openMemory(server);
}

const files = (): MemoryRoute => serve((path) => fileResource(path, { root }));

describe('a file that a reader returns', () => {
  it('[RES-05] is read from its folder, and through links that stay in it', async () => {
    for (const [path, text] of Object.entries({
      'a.txt': 'grüße',
      'sub/b.txt': 'b',
      'sub/../a.txt': 'grüße',
      'link-in': 'b',
      'empty.txt': '',
    }))
      expect(await readSegment(files(), `file:///${path}`)).toMatchObject({ isText: true, data: Buffer.from(text) });
    const linked = serve((path) => fileResource(path, { root: join(base, 'root-link') }));
    expect((await readSegment(linked, 'file:///a.txt')).data.toString()).toBe('grüße');
    const absolute = serve(() => fileResource(join(base, 'root-link', 'a.txt'), { root: join(base, 'root-link') }));
    expect((await readSegment(absolute, 'file:///x')).data.toString()).toBe('grüße');
  });

  it('may have a type of its own', async () => {
    const route = serve((path) => fileResource(path, { root, mimeType: 'image/png' }));
    expect(await readSegment(route, 'file:///a.txt')).toMatchObject({ isText: false, data: Buffer.from('grüße') });
  });

  it.each([
    '../secret.txt',
    'sub/../../secret.txt',
    '../root-beside/secret.txt',
    'link-out',
    'link-up',
    'folder-out/secret.txt',
    'folder-out/root/../secret.txt',
    'loop',
    'dangling',
    'absent',
    'a.txt/x',
    'sub',
    '.',
    '..',
    '%00',
    'a.txt%00',
    '/etc/passwd',
    '%2Fdev%2Fzero',
    'a'.repeat(300),
  ])(
    '[RES-08] [RES-16] is not found, and nothing of the path is told, where it is outside or no file: %s',
    async (path) => {
      const uri = `file:///${path}`;
      const error: unknown = await readSegment(files(), uri).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: -32602, message: 'Resource not found', data: { uri } });
      expect(JSON.stringify(error).replaceAll(uri, '')).not.toContain(base);
    },
  );

  it.runIf(process.platform !== 'win32')(
    '[RES-16] is not found, and is not waited for, where it is a pipe or a socket',
    async () => {
      execFileSync('mkfifo', [join(root, 'pipe')]);
      const listening = createNetServer().listen(join(root, 'socket'));
      await new Promise((resolve) => listening.once('listening', resolve));
      try {
        for (const name of ['pipe', 'socket'])
          await expect(readSegment(files(), `file:///${name}`)).rejects.toMatchObject({ code: -32602 });
      } finally {
        await new Promise((resolve) => listening.close(resolve));
        await rm(join(root, 'pipe'));
      }
    },
  );

  it.runIf(process.platform === 'linux')(
    '[RES-16] never shows what is outside, however often a folder in its path becomes a link',
    async () => {
      await mkdir(join(root, 'swapped'));
      await writeFile(join(root, 'swapped', 'secret.txt'), 'public');
      await symlink(base, join(root, 'link'));
      const swapping = new Worker(swap, { eval: true, workerData: root });
      const seen = new Map<string, number>();
      try {
        await new Promise((resolve) => swapping.once('message', resolve));
        for (let read = 0; read < 3_000; read += 1) {
          const source = await fileResource('swapped/secret.txt', { root });
          const bytes = await source?.read(0, 6, new AbortController().signal);
          const text = bytes === undefined ? 'absent' : Buffer.from(bytes).toString();
          await source?.close?.();
          seen.set(text, (seen.get(text) ?? 0) + 1);
        }
      } finally {
        await swapping.terminate();
      }
      expect([...seen.keys()].toSorted()).toEqual(['absent', 'public']);
    },
  );

  it('[RES-10] is -32603 with the cause in the log alone where its folder does not exist', async () => {
    const recorder = createRecorder();
    const server = createServer({ name: 'files', version: '1.0.0' }, { logger: recorder }).resource(
      'file:///a',
      { name: 'a' },
      () => fileResource('a.txt', { root: join(base, 'nowhere') }),
    );
    const { error } = await openMemory(server).request('resources/read', { uri: 'file:///a' });
    expect(error?.code).toBe(-32603);
    expect(JSON.stringify(error)).not.toContain('nowhere');
    expect(String(recorder.lines[0]?.fields['err'])).toContain('nowhere');
  });

  it('tells when it was changed, grew, shrank or was replaced', async () => {
    const path = join(root, 'changing.txt');
    const versions = new Set<unknown>();
    const look = async (): Promise<unknown> => {
      const { version, size, lastModified } = await readSegment(files(), 'file:///changing.txt?limit=4');
      expect(lastModified).toMatch(/^\d{4}-\d\d-\d\dT/);
      versions.add(version);
      return size;
    };
    await writeFile(path, '0123456789');
    expect(await look()).toBe(10);
    expect(await look()).toBe(10);
    expect(versions.size).toBe(1);
    await appendFile(path, 'abc');
    expect(await look()).toBe(13);
    await truncate(path, 5);
    expect(await look()).toBe(5);
    await expect(readSegment(files(), 'file:///changing.txt?offset=8')).rejects.toMatchObject({ code: -32602 });
    await writeFile(`${path}.new`, '01234');
    await rename(`${path}.new`, path);
    expect(await look()).toBe(5);
    expect(versions.size).toBe(4);
  });

  it('is closed after every read, also one that comes to nothing', async () => {
    let closed = 0;
    const opened = async (): Promise<ResourceSource | undefined> => {
      const source = await fileResource('a.txt', { root });
      return source === undefined
        ? undefined
        : {
            ...source,
            close: async () => {
              closed += 1;
              await source.close?.();
            },
          };
    };
    const route = serve(opened);
    await readSegment(route, 'file:///a.txt');
    await expect(readSegment(route, 'file:///a.txt?offset=100')).rejects.toMatchObject({ code: -32602 });
    expect(closed).toBe(2);
  });

  it('may be open already, and must be a file then, too', async () => {
    const route = serve(async () => fileHandleResource(await open(join(root, 'a.txt'))));
    expect((await readSegment(route, 'file:///x')).data.toString()).toBe('grüße');
    const folder = await open(root);
    await expect(fileHandleResource(folder)).rejects.toThrow(/regular file/);
    expect(folder.fd).toBe(-1);
  });

  it('of 8 MiB is read whole in segments of each size, as text and as bytes', async () => {
    const line = 'Zeile mit Umlauten äöü und 日本語 '.padEnd(63, '.');
    const text = `${line}\n`.repeat((8 * 1024 * 1024) / Buffer.byteLength(`${line}\n`));
    await writeFile(join(root, 'large.txt'), text);
    const digest = createHash('sha256').update(text).digest('hex');
    for (const [mimeType, limit] of [
      ['text/plain', 1_048_576],
      ['application/octet-stream', 262_144],
    ] as const) {
      const route = serve((path) => fileResource(path, { root, mimeType }));
      const hash = createHash('sha256');
      for (const { data, isText, bytes } of await readSegments(route, `file:///large.txt?limit=${limit}`)) {
        hash.update(data);
        expect([isText, bytes <= limit]).toEqual([mimeType === 'text/plain', true]);
      }
      expect(hash.digest('hex')).toBe(digest);
    }
  });
});
