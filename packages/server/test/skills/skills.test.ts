import { createHash } from 'node:crypto';

import { skill as skillShape } from '@switchyard/protocol';
import { createServer, type Server, type SkillDefinition } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { openMemory } from '../memory-route.ts';

const frontmatter = { name: 'refund-orders', description: 'Decide on refunds.' };
const refunds: SkillDefinition = {
  frontmatter: { ...frontmatter, metadata: { author: 'shop' } },
  body: '# Refunds',
  files: { 'references/rules.md': 'Within 30 days.\n', 'assets/icon.png': new Uint8Array([137, 80, 78, 71, 0, 255]) },
};

function create(...skills: readonly SkillDefinition[]): Server {
  const server = createServer({ name: 'shop', version: '1.0.0' });
  for (const each of skills) server.skill(each);
  return server;
}

type Entry = {
  readonly uri: string;
  readonly frontmatter: object;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
};

async function list(server: Server, cursor?: string): Promise<{ skills: Entry[]; nextCursor?: string }> {
  const { result } = await openMemory(server).request('skills/list', cursor === undefined ? {} : { cursor });
  return result as object as { skills: Entry[] };
}

async function read(server: Server, uri: string): Promise<{ text?: string; blob?: string; mimeType?: string }> {
  const { result = {} } = await openMemory(server).request('resources/read', { uri });
  const [contents] = result['contents'] as { text?: string; blob?: string; mimeType?: string }[];
  return contents ?? {};
}

describe('a skill', () => {
  it('[EXT-13] [EXT-14] is listed with its frontmatter and every file, SKILL.md among them, with digest and size', async () => {
    const server = create(refunds);
    const { skills } = await list(server);
    expect(skills).toHaveLength(1);
    const [entry] = skills as [Entry];
    expect(skillShape(entry)).toBeUndefined();
    expect([entry.uri, entry.frontmatter]).toEqual(['skill://refund-orders/SKILL.md', refunds.frontmatter]);
    expect(entry.resources.map(({ uri }) => uri)).toEqual([
      'skill://refund-orders/SKILL.md',
      'skill://refund-orders/references/rules.md',
      'skill://refund-orders/assets/icon.png',
    ]);
    for (const { uri, digest, size } of entry.resources) {
      const { text, blob } = await read(server, uri);
      const bytes = text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text);
      expect(size).toBe(bytes.length);
      expect(digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    }
  });

  it('[EXT-15] has a SKILL.md in Markdown that is listed under its name, and begins with its frontmatter', async () => {
    const server = create(refunds);
    const { result } = await openMemory(server).request('resources/list');
    expect(result?.['resources']).toEqual([
      {
        uri: 'skill://refund-orders/SKILL.md',
        name: 'refund-orders',
        description: 'Decide on refunds.',
        mimeType: 'text/markdown',
        size: expect.any(Number) as number,
      },
    ]);
    const { text = '', mimeType } = await read(server, 'skill://refund-orders/SKILL.md');
    expect(mimeType).toBe('text/markdown');
    const head = /^---\n([\s\S]*?)\n---\n\n# Refunds\n$/.exec(text)?.[1] ?? '';
    expect(parse(head)).toEqual(refunds.frontmatter);
  });

  it.each([
    ['text that needs quoting', { description: 'a: b # c\n---\n"quoted" \u2028 ünïcode' }],
    ['values of every kind', { license: 'MIT', 'allowed-tools': ['a', 'b'], metadata: { n: 1.5, t: true, x: null } }],
    ['keys that YAML would read as something else', { yes: 'no', '1': '2', 'a: b': 'c', '': 'empty' }],
  ])('writes frontmatter that reads the same: %s', async (_what, more) => {
    const given = { ...frontmatter, ...more };
    const { text = '' } = await read(create({ frontmatter: given, body: '' }), 'skill://refund-orders/SKILL.md');
    expect(parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '')).toEqual(given);
  });

  it('[EXT-13] is answered alone by skills/get, with freshness and without a cursor', async () => {
    const server = create(refunds);
    const { skills } = await list(server);
    const { result } = await openMemory(server).request('skills/get', { uri: 'skill://refund-orders/SKILL.md' });
    expect(result).toMatchObject({ skill: skills[0], ttlMs: 60_000, cacheScope: 'private', resultType: 'complete' });
    expect(result).not.toHaveProperty('nextCursor');
  });

  it.each(['skill://nobody/SKILL.md', 'skill://refund-orders', 'skill://refund-orders/references/rules.md', ''])(
    '[EXT-13] is not found by skills/get under %j: -32602',
    async (uri) => {
      const { error } = await openMemory(create(refunds)).request('skills/get', { uri });
      expect(error).toMatchObject({ code: -32602, data: { uri } });
    },
  );

  it('[EXT-14] may stand deeper, under a last segment that is its name', async () => {
    const { skills } = await list(create({ ...refunds, path: 'acme/shop/refund-orders' }));
    expect(skills[0]?.uri).toBe('skill://acme/shop/refund-orders/SKILL.md');
    expect(() => create({ ...refunds, path: 'acme/refunds' })).toThrow(/must be the skill's name/);
  });

  it('serves the SKILL.md that is among its files as it is', async () => {
    const text = '\uFEFF---\r\nname: refund-orders\r\ndescription: Decide on refunds.\r\n---\r\nRead.\r\n';
    const server = create({ frontmatter, files: { 'SKILL.md': text } });
    expect((await read(server, 'skill://refund-orders/SKILL.md')).text).toBe(text);
  });

  it('has file names that a URI carries', async () => {
    const server = create({ frontmatter, body: '', files: { 'a b/ü?#%.txt': 'found' } });
    const uri = 'skill://refund-orders/a%20b/%C3%BC%3F%23%25.txt';
    expect((await list(server)).skills[0]?.resources[1]?.uri).toBe(uri);
    expect((await read(server, uri)).text).toBe('found');
  });

  it.each<[string, object, RegExp]>([
    ['no name', { frontmatter: { description: 'x' }, body: '' }, /name of a skill/],
    ['a name in capitals', { frontmatter: { ...frontmatter, name: 'Refunds' }, body: '' }, /name of a skill/],
    ['a name with two hyphens', { frontmatter: { ...frontmatter, name: 'a--b' }, body: '' }, /name of a skill/],
    ['a name of 65 characters', { frontmatter: { ...frontmatter, name: 'a'.repeat(65) }, body: '' }, /name of a skill/],
    ['no description', { frontmatter: { name: 'a', description: '' }, body: '' }, /description/],
    [
      'metadata of the protocol',
      { frontmatter: { ...frontmatter, metadata: { 'io.modelcontextprotocol/x': 1 } }, body: '' },
      /belongs to the protocol/,
    ],
    ['neither body nor file', { frontmatter }, /give either/],
    ['both body and file', { frontmatter, body: '', files: { 'SKILL.md': '' } }, /give either/],
    ['a path that leads out', { frontmatter, body: '', path: '../refund-orders' }, /the path must be/],
    ['a file that leads out', { frontmatter, body: '', files: { '../secret': '' } }, /no path of a file/],
    ['a file with a backslash', { frontmatter, body: '', files: { 'a\\b': '' } }, /no path of a file/],
    ['an absolute file', { frontmatter, body: '', files: { '/etc/passwd': '' } }, /no path of a file/],
    [
      '513 files',
      { frontmatter, body: '', files: Object.fromEntries(Array.from({ length: 512 }, (_, n) => [`f${n}`, ''])) },
      /at most 512/,
    ],
    [
      'more than 16 MiB',
      { frontmatter, body: '', files: { big: new Uint8Array(16 * 1024 * 1024) } },
      /at most 16777216/,
    ],
  ])('[EXT-14] is refused with %s', (_what, definition, message) => {
    expect(() => create(definition as SkillDefinition)).toThrow(message);
  });

  it('is taken in whole or not at all, and removed whole', async () => {
    const server = createServer({ name: 'shop', version: '1.0.0' }).resource(
      'skill://refund-orders/references/rules.md',
      { name: 'taken' },
      () => 'taken',
    );
    expect(() => server.skill(refunds)).toThrow(/already has/);
    expect((await openMemory(server).request('skills/list')).error?.code).toBe(-32601);
    expect(server.removeResource('skill://refund-orders/references/rules.md')).toBe(true);
    server.skill(refunds);
    expect((await list(server)).skills).toHaveLength(1);
    expect(server.removeSkill('skill://refund-orders/SKILL.md')).toBe(true);
    expect(server.removeSkill('skill://refund-orders/SKILL.md')).toBe(false);
    server.resource('test://other', { name: 'other' }, () => '');
    const { error } = await openMemory(server).request('resources/read', {
      uri: 'skill://refund-orders/assets/icon.png',
    });
    expect(error?.code).toBe(-32602);
  });
});

describe('the list of skills', () => {
  it('[EXT-13] comes in pages that split no skill', async () => {
    const server = create(
      ...Array.from({ length: 45 }, (_, index) => ({
        frontmatter: { name: `skill-${String(index).padStart(2, '0')}`, description: 'x' },
        body: '',
      })),
    );
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await list(server, cursor);
      names.push(...page.skills.map(({ uri }) => uri));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect([pages, names.length, new Set(names).size]).toEqual([3, 45, 45]);
    expect((await openMemory(server).request('skills/list', { cursor: 'made up' })).error?.code).toBe(-32602);
  });

  it('[EXT-01] is offered by servers with skills alone, to every client', async () => {
    const { result } = await openMemory(create(refunds)).request('server/discover');
    expect(result?.['capabilities']).toMatchObject({
      resources: {},
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
    const plain = createServer({ name: 'plain', version: '1.0.0' }).tool('t', {}, () => '');
    for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
      expect((await openMemory(plain).request(method, { uri: 'x' })).error?.code).toBe(-32601);
  });
});

describe('the skills of a mounted server', () => {
  it('are those of the server that it is mounted in', async () => {
    const server = createServer({ name: 'host', version: '1.0.0' }).mount('shop', create(refunds));
    expect((await list(server)).skills.map(({ uri }) => uri)).toEqual(['skill://refund-orders/SKILL.md']);
    expect((await read(server, 'skill://refund-orders/references/rules.md')).text).toBe('Within 30 days.\n');
  });
});

describe('a directory of a skill', () => {
  async function children(server: Server, uri: string): Promise<unknown[]> {
    const { result = {}, error } = await openMemory(server).request('resources/directory/read', { uri });
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return (result['resources'] as { uri: string; mimeType: string; name: string }[]).map((child) => [
      child.uri,
      child.name,
      child.mimeType,
    ]);
  }

  it('[EXT-16] has its files and folders, and theirs, up to where the skill stands', async () => {
    const server = create({ ...refunds, path: 'acme/refund-orders' });
    expect(await children(server, 'skill://acme/refund-orders')).toEqual([
      ['skill://acme/refund-orders/SKILL.md', 'refund-orders', 'text/markdown'],
      ['skill://acme/refund-orders/assets', 'assets', 'inode/directory'],
      ['skill://acme/refund-orders/references', 'references', 'inode/directory'],
    ]);
    expect(await children(server, 'skill://acme/refund-orders/references/')).toEqual([
      ['skill://acme/refund-orders/references/rules.md', 'rules.md', 'text/markdown'],
    ]);
    expect(await children(server, 'skill://acme')).toEqual([
      ['skill://acme/refund-orders', 'refund-orders', 'inode/directory'],
    ]);
  });

  it.each(['skill://refund-orders/SKILL.md', 'skill://refund-orders/nothing', 'skill://', 'test://r', '../x'])(
    '[EXT-16] is none under %j: -32602',
    async (uri) => {
      await expect(children(create(refunds), uri)).rejects.toMatchObject({ code: -32602 });
    },
  );

  it('[EXT-16] comes in pages', async () => {
    const files = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`f${index}.txt`, '']));
    const server = createServer({ name: 'shop', version: '1.0.0' }, { pageSize: 4 }).skill({
      frontmatter,
      body: '',
      files,
    });
    const first = await openMemory(server).request('resources/directory/read', { uri: 'skill://refund-orders' });
    const cursor = first.result?.['nextCursor'];
    const second = await openMemory(server).request('resources/directory/read', {
      uri: 'skill://refund-orders',
      cursor,
    });
    expect([first, second].map(({ result = {} }) => (result['resources'] as object[]).length)).toEqual([4, 2]);
    expect(second.result).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
  });
});
