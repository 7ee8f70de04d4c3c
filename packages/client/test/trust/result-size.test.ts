import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@switchyard/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBlobSpill } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { reach, structured, tool, warnings } from './tool-server.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spill-'));
});
afterEach(() => rm(folder, { recursive: true }));

const text = (length: number, letter = 'x') => ({ type: 'text', text: letter.repeat(length) });
const bytes = Buffer.alloc(6_000, 7);

async function call(result: object, options: object) {
  const { client } = await reach({ results: { 'tools/call': { ...result } } }, options);
  return client.callTool('big');
}

function linkAt(content: readonly ContentBlock[], index: number) {
  const block = content[index];
  if (block?.type !== 'resource_link') throw new Error(`content[${index}] is no link`);
  return { ...block, path: fileURLToPath(block.uri) };
}

describe('a result over resultSize.maxBytes', () => {
  it('is refused', async () => {
    const error = await failure(call({ content: [text(5_000)] }, { resultSize: { maxBytes: 1_000 } }));
    expect(error).toMatchObject({ code: 'result-rejected', server: 'depot' });
    expect(error.message).toMatch(/"big" has 5\d{3} bytes of JSON, and the limit is 1000/);
  });

  it('is measured in bytes, with everything that is in it', async () => {
    const result = { content: [], _meta: { note: 'ä'.repeat(300) } };
    expect((await failure(call(result, { resultSize: { maxBytes: 600 } }))).code).toBe('result-rejected');
    expect(await call(result, { resultSize: { maxBytes: 800 } })).toMatchObject(result);
  });

  it('has its largest contents kept in files, and no more than it takes', async () => {
    await using spill = openBlobSpill({ folder });
    const image = { type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' };
    const result = { content: [text(400), text(3_000, 'ä'), image], _meta: { a: 1 } };
    const fitted = await call(result, { resultSize: { maxBytes: 2_000, spill } });
    expect(fitted).toMatchObject({
      content: [text(400), { type: 'resource_link' }, { type: 'resource_link' }],
      _meta: { a: 1 },
    });
    const [words, picture] = [linkAt(fitted.content, 1), linkAt(fitted.content, 2)];
    expect(words).toMatchObject({
      mimeType: 'text/plain',
      size: 6_000,
      name: expect.stringMatching(/^[-0-9a-f]+\.txt$/) as string,
    });
    expect(await readFile(words.path, 'utf8')).toBe('ä'.repeat(3_000));
    expect(picture).toMatchObject({ mimeType: 'image/png', size: 6_000 });
    expect(await readFile(picture.path)).toEqual(bytes);
    expect((await stat(picture.path)).mode & 0o777).toBe(0o600);
  });

  it('has embedded resources kept', async () => {
    await using spill = openBlobSpill({ folder });
    const resources = [
      { uri: 'depot://a', text: 'x'.repeat(3_000), mimeType: 'text/csv' },
      { uri: 'depot://b', blob: bytes.toString('base64') },
    ];
    const content = resources.map((resource) => ({ type: 'resource', resource }));
    const fitted = await call({ content }, { resultSize: { maxBytes: 1_000, spill } });
    expect(fitted.content).toMatchObject([{ mimeType: 'text/csv', size: 3_000 }, { size: 6_000 }]);
    expect(fitted.content[1]).not.toHaveProperty('mimeType');
  });

  it('has its structured form kept last, after it was checked', async () => {
    await using spill = openBlobSpill({ folder });
    const output = { type: 'object', properties: { rows: { type: 'array', items: { type: 'number' } } } };
    const rows = Array.from({ length: 2_000 }, (_, row) => row);
    const options = { resultSize: { maxBytes: 1_000, spill } };
    const good = await reach(
      { tools: [tool('t', {}, output)], results: { 'tools/call': structured({ rows }) } },
      options,
    );
    await good.client.listTools();
    const fitted = await good.client.callTool('t');
    expect(fitted).not.toHaveProperty('structuredContent');
    const link = linkAt(fitted.content, 0);
    expect(link.mimeType).toBe('application/json');
    expect(JSON.parse(await readFile(link.path, 'utf8'))).toEqual({ rows });
    const bad = await reach(
      { tools: [tool('t', {}, output)], results: { 'tools/call': structured({ rows: ['x'] }) } },
      options,
    );
    await bad.client.listTools();
    expect((await failure(bad.client.callTool('t'))).message).toContain('outputSchema');
  });

  it.each([
    ['metadata alone', { content: [], _meta: { a: 'x'.repeat(5_000) } }],
    ['an unknown block', { content: [{ type: 'hologram', data: 'x'.repeat(5_000) }] }],
    ['an image that is no base64', { content: [{ type: 'image', data: '!'.repeat(5_000), mimeType: 'image/png' }] }],
    ['ten thousand small blocks', { content: Array.from({ length: 10_000 }, () => text(1)) }],
  ])('is refused where nothing in it can be kept elsewhere: %s', async (_name, result) => {
    await using spill = openBlobSpill({ folder });
    expect((await failure(call(result, { resultSize: { maxBytes: 2_000, spill } }))).code).toBe('result-rejected');
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['cannot be made small enough', { content: [text(5_000), { type: 'hologram', data: 'x'.repeat(5_000) }] }, {}],
    ['has a piece that is too much', { content: [text(5_000), text(4_000)] }, { maxTotalBytes: 6_000 }],
  ])('leaves nothing behind where it %s, so that the next one has room', async (_name, result, limits) => {
    await using spill = openBlobSpill({ folder, maxTotalBytes: 5_000, ...limits });
    const options = { resultSize: { maxBytes: 2_000, spill } };
    for (let round = 0; round < 3; round += 1) {
      expect((await failure(call(result, options))).code).toBe('result-rejected');
      expect(await readdir(folder)).toEqual([]);
    }
    expect((await call({ content: [text(5_000)] }, options)).content).toMatchObject([{ type: 'resource_link' }]);
  });

  it('is refused with a warning where what was kept of it cannot be removed', async () => {
    let kept = 0;
    const spill = {
      keep: () => (kept++ === 0 ? Promise.resolve('x://1') : Promise.reject(new Error('disk full'))),
      drop: () => Promise.reject(new Error('disk gone')),
    };
    const content = [text(5_000), text(4_000)];
    const error = await failure(call({ content }, { resultSize: { maxBytes: 1_000, spill } }));
    expect(error.message).toContain('disk full');
    expect(warnings).toMatchObject([{ code: 'left-behind', message: expect.stringContaining('disk gone') as string }]);
  });

  it('is refused where it cannot be kept', async () => {
    const options = { resultSize: { maxBytes: 1_000, spill: { keep: () => Promise.reject(new Error('disk full')) } } };
    const error = await failure(call({ content: [text(5_000)] }, options));
    expect(error).toMatchObject({ code: 'result-rejected', message: expect.stringContaining('disk full') as string });
  });

  it('is refused for a resource and a prompt, which hold no links', async () => {
    await using spill = openBlobSpill({ folder });
    const { client } = await reach(
      {
        results: {
          'resources/read': { contents: [{ uri: 'x://a', text: 'x'.repeat(5_000) }], ttlMs: 0, cacheScope: 'private' },
          'prompts/get': { messages: [{ role: 'user', content: text(5_000) }] },
        },
      },
      { resultSize: { maxBytes: 1_000, spill } },
    );
    expect((await failure(client.readResource('x://a'))).message).toMatch(/depot.*resources\/read has/);
    expect((await failure(client.getPrompt('p'))).message).toMatch(/depot.*prompts\/get has/);
  });

  it.each([0, -1, 1.5, Number.NaN])('is no limit: %d', async (maxBytes) => {
    expect((await failure(call({ content: [] }, { resultSize: { maxBytes } }))).code).toBe('invalid-argument');
  });
});

describe('a folder of large results', () => {
  it('is made where it is missing, and holds its own files no longer than until it is closed', async () => {
    const inner = join(folder, 'a', 'b');
    const spill = openBlobSpill({ folder: inner });
    const uri = await spill.keep({ content: 'x', mimeType: '../../etc' });
    expect((await stat(inner)).mode & 0o777).toBe(0o700);
    await writeFile(join(inner, 'mine'), 'x');
    expect(await readdir(inner)).toHaveLength(2);
    await spill.close();
    await spill.close();
    expect(await readdir(inner)).toEqual(['mine']);
    expect(fileURLToPath(uri).endsWith('.bin')).toBe(true);
    await expect(spill.keep({ content: 'x', mimeType: undefined })).rejects.toThrow('closed');
  });

  it('counts what killed processes left behind, and nothing else, and removes none of it', async () => {
    const left = openBlobSpill({ folder });
    await left.keep({ content: '12345678', mimeType: 'text/plain' });
    await writeFile(join(folder, 'mine.txt'), 'x'.repeat(100));
    const spill = openBlobSpill({ folder, maxTotalBytes: 10 });
    await expect(spill.keep({ content: '123', mimeType: undefined })).rejects.toThrow(/maxTotalBytes.*holds 8/);
    await spill.keep({ content: '12', mimeType: undefined });
    await spill.close();
    expect(await readdir(folder)).toHaveLength(2);
    await left.close();
    expect(await readdir(folder)).toEqual(['mine.txt']);
  });

  it.skipIf(process.platform === 'win32').each([0o777, 0o755, 0o710])(
    'that others may enter is refused, with what to do: mode %d',
    async (mode) => {
      await chmod(folder, mode);
      expect(() => openBlobSpill({ folder })).toThrow(/can be entered by others.*chmod 700/);
      await chmod(folder, 0o700);
      await using spill = openBlobSpill({ folder });
      await chmod(folder, mode);
      await expect(spill.keep({ content: 'x', mimeType: undefined })).rejects.toThrow('chmod 700');
      await chmod(folder, 0o700);
      await spill.keep({ content: 'x', mimeType: undefined });
    },
  );

  it('that is a link or a file is refused', async () => {
    await symlink(folder, join(folder, 'link'));
    await writeFile(join(folder, 'file'), '');
    for (const name of ['link', 'file']) {
      expect(() => openBlobSpill({ folder: join(folder, name) })).toThrow('no folder of its own');
    }
  });

  it('holds no more than maxTotalBytes', async () => {
    await using spill = openBlobSpill({ folder, maxTotalBytes: 10 });
    await spill.keep({ content: '12345678', mimeType: undefined });
    await expect(spill.keep({ content: '123', mimeType: undefined })).rejects.toThrow('maxTotalBytes');
    await spill.keep({ content: '12', mimeType: undefined });
    expect(() => openBlobSpill({ folder, maxTotalBytes: 0 })).toThrow(RangeError);
  });
});
