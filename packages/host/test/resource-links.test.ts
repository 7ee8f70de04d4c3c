import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { open } from './open-for-test.ts';
import { listing, readsOf } from './resource-servers.ts';

describe('a link in a result', () => {
  it('becomes a URI that the caller can read', async () => {
    const link = (uri: string) => ({ type: 'resource_link', uri, name: uri });
    const links = ['doc://shared', 'doc://own', 'doc://unlisted'].map(link);
    const a = createScriptedServer({
      tools: [toolDefinition('t')],
      resources: ['doc://shared', 'doc://own'].map((uri) => ({ uri, name: uri })),
      answer: (method) =>
        method === 'tools/call' ? { content: [{ type: 'text', text: 'see' }, ...links] } : undefined,
    });
    const host = await open({ a, b: listing('doc://shared') });
    await host.as('reader').tools();
    const { content } = await host.as('reader').call('a__t');
    expect(content).toEqual([
      { type: 'text', text: 'see' },
      { ...links[0], uri: 'mcp://a/doc%3A%2F%2Fshared' },
      links[1],
      { ...links[2], uri: 'mcp://a/doc%3A%2F%2Funlisted' },
    ]);
    for (const block of content.slice(1))
      if ('uri' in block && typeof block.uri === 'string') await host.as('reader').read(block.uri);
    expect(readsOf(a)).toEqual(['doc://shared', 'doc://own', 'doc://unlisted']);
  });

  it('of a prompt never leads to another server than the one that gave it', async () => {
    const link = (name: string, uri = name) => ({ role: 'user', content: { type: 'resource_link', uri, name } });
    const say = { role: 'user', content: { type: 'text', text: 'see' } };
    const a = createScriptedServer({
      prompts: [{ name: 'p' }],
      answer: (method) =>
        method === 'prompts/get' ? { messages: [say, link('doc://1'), link('mcp://b/doc%3A%2F%2F1')] } : undefined,
    });
    const host = await open({ a, b: listing('doc://1') });
    await host.as('reader').resources();
    const { messages } = await host.as('reader').prompt('a__p');
    expect(messages).toEqual([
      say,
      link('doc://1', 'mcp://a/doc%3A%2F%2F1'),
      link('mcp://b/doc%3A%2F%2F1', 'mcp://a/mcp%3A%2F%2Fb%2Fdoc%253A%252F%252F1'),
    ]);
  });
});
