import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../src/host.ts';
import { openHost } from '../src/open-host.ts';

const require = createRequire(import.meta.url);
const published = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [require.resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args],
});

describe('published servers behind a host', () => {
  let folder: string;
  let host: Host;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-interop-'));
    await writeFile(join(folder, 'package.json'), '{"name":"demo","version":"1.0.0"}');
    host = await openHost(
      {
        mcpServers: {
          everything: published('server-everything', 'stdio'),
          filesystem: published('server-filesystem', folder),
        },
        agents: {
          reader: {
            allow: [
              'everything__*',
              'filesystem__read_*',
              'filesystem__list_*',
              'resource:everything:*',
              'prompt:everything__*',
            ],
          },
        },
      },
      { audit: 'memory', cwd: folder, exactIntegers: true },
    );
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true });
  });

  it('list their tools, prompts and resources under one roof', async () => {
    const agent = host.as('reader');
    const { tools, unavailable } = await agent.tools();
    expect(unavailable).toEqual([]);
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['everything__echo', 'filesystem__read_text_file']),
    );
    expect(tools.map(({ name }) => name)).not.toContain('filesystem__write_file');
    expect(host.servers().flatMap(({ leftOut = [] }) => leftOut)).toEqual([]);
    expect((await agent.prompts()).prompts.length).toBeGreaterThan(0);
    expect((await agent.resources()).resources.length).toBeGreaterThan(0);
  });

  it('answer each tool that needs no arguments beyond plain ones, and every one of its results passes', async () => {
    const agent = host.as('reader');
    const calls: [string, Record<string, unknown>][] = [
      ['everything__echo', { message: 'hi' }],
      ['everything__get-sum', { a: 2, b: 3 }],
      ['everything__get-structured-content', { location: 'Chicago' }],
      ['everything__get-annotated-message', { messageType: 'success', includeImage: true }],
      ['everything__get-tiny-image', {}],
      ['everything__get-resource-links', { count: 2 }],
      ['filesystem__list_allowed_directories', {}],
      ['filesystem__read_text_file', { path: join(folder, 'package.json') }],
      ['filesystem__list_directory', { path: folder }],
    ];
    for (const [name, args] of calls) {
      const result = await agent.call(name, args);
      expect(result.isError, `${name}: ${JSON.stringify(result.content)}`).not.toBe(true);
    }
    expect(await host.audit.verify()).toMatchObject({ ok: true, intents: calls.length, outcomes: calls.length });
  });

  it('give resources and links that can be read', async () => {
    const agent = host.as('reader');
    const [resource] = (await agent.resources()).resources;
    expect((await agent.read(resource?.uri ?? '')).contents.length).toBeGreaterThan(0);
    const { content } = await agent.call('everything__get-resource-links', { count: 2 });
    const links = content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
    expect(links).toHaveLength(2);
    for (const uri of links) expect((await agent.read(uri)).contents).toHaveLength(1);
  });
});
