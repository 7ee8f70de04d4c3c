import { createHash } from 'node:crypto';
import type { JsonObject, Skill, SkillResource } from '@switchyard/protocol';
import { createServer } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createScriptedPeer, type ScriptedPeer } from '../scripted-peer.ts';
import { closeAfterwards } from '../serve-scripted.ts';

const uri = 'skill://acme/refunds/SKILL.md';
const formsUri = 'skill://acme/refunds/forms.md';
const head = 'name: refunds\ndescription: Refunds an order';
const text = `---\n${head}\n---\nAsk for the order.\n`;
const frontmatter = { name: 'refunds', description: 'Refunds an order' };

const resourceOf = (fileUri: string, content: string | Uint8Array): SkillResource => ({
  uri: fileUri,
  digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
  size: Buffer.byteLength(content),
});

/** The entry of a skill with these files. */
function entryOf(files: { readonly [uri: string]: string | Uint8Array }, more: Partial<Skill> = {}): Skill {
  return { uri, frontmatter, resources: Object.entries(files).map(([key, file]) => resourceOf(key, file)), ...more };
}

/** A server that lists one skill, and whose files hold what it is told. */
async function serveSkill(
  skill: object,
  files: { readonly [uri: string]: JsonObject | readonly JsonObject[] },
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly peer: ScriptedPeer; reads(): unknown[] }> {
  const peer = createScriptedPeer(({ id, method, params = {} }) => {
    const asked = String(params['uri']);
    if (method === 'skills/list') peer.answer(id, { resultType: 'complete', skills: [skill] });
    else if (method === 'skills/get') peer.answer(id, { resultType: 'complete', skill });
    else if (method === 'resources/read') {
      peer.answer(id, { resultType: 'complete', contents: [files[asked] ?? []].flat() });
    } else return false;
    return true;
  });
  const client = await connect(peer.transport, { name: 'depot', ...options });
  closeAfterwards(client);
  const reads = (): unknown[] =>
    peer.written.filter(({ method }) => method === 'resources/read').map(({ params }) => params?.['uri']);
  return { client, peer, reads };
}

const textFile = (fileUri: string, content: string): JsonObject => ({ uri: fileUri, text: content });

describe('skills', () => {
  it('[EXT-17] are listed, and one is loaded, without reading a file before it is asked for', async () => {
    const entry = entryOf({ [uri]: text, [formsUri]: 'A form' });
    const { client, reads } = await serveSkill(entry, {
      [uri]: textFile(uri, text),
      [formsUri]: textFile(formsUri, 'A form'),
    });
    const { skills } = await client.listSkills();
    expect(skills).toEqual([entry]);
    expect(await client.getSkill(uri)).toEqual(entry);
    expect(reads()).toEqual([]);
    const loaded = await client.loadSkill(skills[0] ?? entry);
    expect(loaded).toMatchObject({ frontmatter, body: 'Ask for the order.\n', files: entry.resources });
    expect(reads()).toEqual([uri]);
    expect(await loaded.readFile(formsUri)).toMatchObject({ uri: formsUri, text: 'A form' });
    expect(reads()).toEqual([uri, formsUri]);
  });

  it.each([
    ['another text of the same size', text.replace('Ask', 'Tax'), /digest/],
    ['a longer text', `${text}!`, /bytes.*listed/],
    ['a shorter text', text.slice(1), /bytes.*listed/],
    ['nothing', '', /bytes.*listed/],
  ])('[EXT-18] are refused when SKILL.md is %s', async (_, served, problem) => {
    const { client } = await serveSkill(entryOf({ [uri]: text }), { [uri]: textFile(uri, served) });
    const error = await failure(client.loadSkill(entryOf({ [uri]: text })));
    expect(error).toMatchObject({ code: 'result-rejected', server: 'depot', message: expect.stringMatching(problem) });
  });

  it.each([
    ['name: refunds\ndescription: Sends all secrets'],
    ['name: refunds'],
    ['name: refunds\ndescription: Refunds an order\nallowed-tools: all'],
    ['name: refunds\ndescription: [Refunds an order]'],
  ])('[EXT-18] are refused when the head differs from the entry although the digest is right: %j', async (other) => {
    const served = `---\n${other}\n---\n`;
    const entry = entryOf({ [uri]: served });
    const { client } = await serveSkill(entry, { [uri]: textFile(uri, served) });
    expect(await failure(client.loadSkill(entry))).toMatchObject({ code: 'result-rejected' });
  });

  it('[EXT-18] refuse a supporting file as well, and give nothing of it out', async () => {
    const entry = entryOf({ [uri]: text, [formsUri]: 'A form' });
    const { client } = await serveSkill(entry, {
      [uri]: textFile(uri, text),
      [formsUri]: textFile(formsUri, 'A farm'),
    });
    const loaded = await client.loadSkill(entry);
    expect(await failure(loaded.readFile(formsUri))).toMatchObject({ code: 'result-rejected' });
  });

  it('read no file that is not listed', async () => {
    const entry = entryOf({ [uri]: text });
    const { client, reads } = await serveSkill(entry, { [uri]: textFile(uri, text) });
    const loaded = await client.loadSkill(entry);
    expect(await failure(loaded.readFile('skill://acme/refunds/../keys.md'))).toMatchObject({
      code: 'invalid-argument',
    });
    expect(reads()).toEqual([uri]);
  });

  it('hold bytes, too', async () => {
    const bytes = Uint8Array.of(0xff, 0xd8, 0, 1);
    const entry = entryOf({ [uri]: text, [formsUri]: bytes });
    const blob = Buffer.from(bytes).toString('base64');
    const { client } = await serveSkill(entry, { [uri]: textFile(uri, text), [formsUri]: { uri: formsUri, blob } });
    const file = await (await client.loadSkill(entry)).readFile(formsUri);
    expect([...file.bytes]).toEqual([...bytes]);
    expect(file.text).toBeUndefined();
  });

  it.each([
    ['no content', []],
    ['two contents', [textFile(uri, text), textFile(uri, text)]],
    ['the content of another file', [textFile(formsUri, text)]],
    ['a blob that is no Base64', [{ uri, blob: '!!' }]],
    ['bytes that are no text', [{ uri, blob: Buffer.alloc(Buffer.byteLength(text), 0xff).toString('base64') }]],
  ])('are refused when a read answers %s', async (_, contents) => {
    const entry = entryOf({ [uri]: text });
    const { client } = await serveSkill(entry, { [uri]: contents });
    expect(await failure(client.loadSkill(entry))).toMatchObject({ code: 'result-rejected' });
  });

  it.each([
    ['is not called as its folder', { frontmatter: { ...frontmatter, name: 'other' } }],
    ['has no SKILL.md', { uri: 'skill://acme/refunds/README.md' }],
    ['does not list itself', { resources: [resourceOf(formsUri, '')] }],
    ['has a URI of a file', { uri: 'file:///srv/refunds/SKILL.md' }],
    ['lies under a folder that leads elsewhere', { uri: 'skill://acme/../refunds/SKILL.md' }],
    ['lies under a folder that leads elsewhere when decoded', { uri: 'skill://acme/%252e%2E/refunds/SKILL.md' }],
    ['has a URI of a file, and no list', { uri: 'file:///srv/refunds/SKILL.md', resources: 'dynamic' as const }],
    ...['x'.repeat(65), '.hidden', '-'].map((name): [string, Partial<Skill>] => {
      const named = `skill://acme/${name}/SKILL.md`;
      return [`is called ${name}`, { uri: named, frontmatter: { name }, resources: [resourceOf(named, text)] }];
    }),
    ['is called ..', { uri: 'skill://acme/../SKILL.md', frontmatter: { ...frontmatter, name: '..' } }],
    ['has a name that turns the text', { uri: 'skill://a/a\u202eb/SKILL.md', frontmatter: { name: 'a\u202eb' } }],
    ...[
      'file:///etc/passwd',
      'skill://other/SKILL.md',
      'skill://acme/refunds/../keys.md',
      'skill://acme/refunds/%2e%2e/keys.md',
      'skill://acme/refunds/a://../../keys.md',
      'skill://acme/refunds/a%2f..%2fkeys.md',
      'skill://acme/refunds/a\\keys.md',
      'skill://acme/refunds/a?b',
      'skill://acme/refunds/',
    ].map((file): [string, Partial<Skill>] => [
      `lists ${file}`,
      { resources: [resourceOf(uri, text), resourceOf(file, '')] },
    ]),
    ['lists a file twice', { resources: [resourceOf(uri, text), resourceOf(uri, text)] }],
    ['has another kind of digest', { resources: [{ ...resourceOf(uri, text), digest: 'md5:00' }] }],
    ['has a digest in upper case', { resources: [{ ...resourceOf(uri, text), digest: `sha256:${'AB'.repeat(32)}` }] }],
    ['has a size below zero', { resources: [{ ...resourceOf(uri, text), size: -1 }] }],
    ['is too large', { resources: [{ ...resourceOf(uri, text), size: 17 * 1024 * 1024 }] }],
    [
      'has too many files',
      {
        resources: Array.from({ length: 513 }, (_, index) => resourceOf(index === 0 ? uri : `${formsUri}${index}`, '')),
      },
    ],
  ])('are left out of the list, and refused, when one %s', async (_, more) => {
    const entry = entryOf({ [uri]: text }, more);
    const { client, reads } = await serveSkill(entry, { [uri]: textFile(uri, text) });
    const { skills, leftOut } = await client.listSkills();
    expect([skills.length, leftOut.length]).toEqual([0, 1]);
    expect((await failure(client.loadSkill(entry))).code).toBe('result-rejected');
    expect((await failure(client.getSkill(entry.uri))).code).toBe('result-rejected');
    expect(reads()).toEqual([]);
  });

  it('without a list of files are loaded only where the caller says so', async () => {
    const entry = entryOf({}, { resources: 'dynamic' });
    const files = { [uri]: textFile(uri, text) };
    const careful = await serveSkill(entry, files);
    expect(await failure(careful.client.loadSkill(entry))).toMatchObject({ code: 'result-rejected' });
    expect(careful.reads()).toEqual([]);
    const open = await serveSkill(entry, files, { skills: { allowsDynamic: true } });
    const loaded = await open.client.loadSkill(entry);
    expect(loaded).toMatchObject({ body: 'Ask for the order.\n', files: [] });
    expect(await failure(loaded.readFile('file:///etc/passwd'))).toMatchObject({ code: 'invalid-argument' });
    expect(open.reads()).toEqual([uri]);
  });

  it('with a head of any form are read with a YAML reader of the caller', async () => {
    const served = '---\nname: refunds\ndescription: >-\n  Refunds an\n  order\n---\nBody';
    const entry = entryOf({ [uri]: served });
    const files = { [uri]: textFile(uri, served) };
    const plain = await serveSkill(entry, files);
    const error = await failure(plain.client.loadSkill(entry));
    expect(error).toMatchObject({ code: 'result-rejected', message: expect.stringContaining('skills.parseYaml') });
    const parseYaml = (): JsonObject => frontmatter;
    const other = await serveSkill(entry, files, { skills: { parseYaml } });
    expect(await other.client.loadSkill(entry)).toMatchObject({ body: 'Body' });
  });

  it('of a server of ours are listed, loaded and verified', async () => {
    const server = createServer({ name: 'shop', version: '1.0.0' });
    server.skill({
      frontmatter: { ...frontmatter, metadata: { level: 2, tags: ['a', 'b'] }, quote: 'a: "b" # c' },
      body: 'Ask for the order.',
      path: 'acme/refunds',
      files: { 'forms.md': 'A form', 'logo.png': Uint8Array.of(0x89, 0x50) },
    });
    const client = await connect(server, { name: 'shop' });
    closeAfterwards(client);
    const { skills } = await client.listSkills();
    expect(skills.map((skill) => skill.uri)).toEqual([uri]);
    for (const skill of skills) {
      const loaded = await client.loadSkill(skill);
      expect(loaded.body).toContain('Ask for the order.');
      for (const file of loaded.files) expect((await loaded.readFile(file.uri)).bytes).toHaveLength(file.size);
    }
  });
});
