import { describe, expect, it } from 'vitest';
import { connect, whyUnsafeUrl } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createScriptedPeer, discovery, type ScriptedPeer } from '../scripted-peer.ts';
import { reach, warnings } from './tool-server.ts';

describe('a URL of a server', () => {
  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' \u0001javascript:alert(1)',
    'java\nscript:alert(1)',
    `${' '.repeat(300)}javascript:alert(1)`,
    `data:${' '.repeat(300)}text/html,<script>alert(1)</script>`,
    `java${'\n'.repeat(300)}script:alert(1)`,
    'java\tscript\r:alert(1)',
    'vbscript:msgbox(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'DATA:image/svg+xml,<svg onload=alert(1)>',
    'data:application/xhtml+xml,x',
    'data:text/javascript,x',
    'data:text/plainx,y',
    'blob:https://a.test/1',
    'blob:http://a.test//1',
    'filesystem:https://a.test/x',
    'view-source:https://a.test',
    'about:blank',
    'JAR:https://a.test/x.jar!/a',
    'jar:\u0001https://a.test/x.jar!/a',
    'data:application/pdfx,y',
    'data:text/xml,<x/>',
    'data:application/x-unknown,y',
    'ms-msdt:/id PCWDiagnostic',
    'search-ms:query=x',
    'https://a.test/\r\nSet-Cookie: x',
    'depot://m\u0000/7',
  ])('is not safe: %j', (url) => {
    expect(whyUnsafeUrl(url)).toMatch(/not safe|scripts|control characters/);
  });

  it.each([
    'https://a.test/javascript:x',
    'http://a.test',
    'file:///srv/a.txt',
    'depot://m/7',
    'ui://widget/1',
    'urn:isbn:1',
    'mailto:a@b.test',
    'data:image/png;base64,iVBORw0KGgo=',
    'data:text/plain,hello',
    'data:,hello',
    'data:application/json,{}',
    'data:text/csv,a',
    'data:text/markdown;charset=utf-8,a',
    'data:application/pdf;base64,AA==',
    'data:application/zip;base64,AA==',
    'data:font/woff2;base64,AA==',
    'data:;base64,AA==',
    'note://a',
    'github://x/y',
    'filesystem://root/a.txt',
    'blob://bucket/key',
    'about://info',
    'view-source://repo/x',
    'm/7?about:x',
    '{scheme}://{host}',
    '',
  ])('is safe: %j', (url) => {
    expect(whyUnsafeUrl(url)).toBeUndefined();
  });
});

describe('a link that is not safe', () => {
  const link = { type: 'resource_link', uri: 'javascript:alert(1)', name: 'x' };
  const embedded = { type: 'resource', resource: { uri: 'vbscript:x', text: 'x' } };
  const safe = { type: 'resource_link', uri: 'depot://m/7', name: 'm7' };

  it('is dropped from the result of a tool, and nothing else is', async () => {
    const { client } = await reach({ results: { 'tools/call': { content: [link, safe, embedded], isError: true } } });
    expect((await client.callTool('x')).content).toEqual([safe]);
    expect(warnings.map(({ code }) => code)).toEqual(['unsafe-url', 'unsafe-url']);
    expect(warnings[0]?.message).toMatch(/depot.*"javascript:alert\(1\)".*dropped/);
  });

  it('is dropped even where no check is wanted', async () => {
    const { client } = await reach({ results: { 'tools/call': { content: [link] } } }, { checks: false });
    expect((await client.callTool('x')).content).toEqual([]);
  });

  it('is dropped from a resource and from a prompt', async () => {
    const { client } = await reach({
      results: {
        'resources/read': {
          contents: [
            { uri: 'javascript:x', text: 'a' },
            { uri: 'depot://a', text: 'b' },
          ],
          ttlMs: 0,
          cacheScope: 'private',
        },
        'prompts/get': {
          messages: [
            { role: 'user', content: link },
            { role: 'user', content: safe },
          ],
        },
      },
    });
    expect((await client.readResource('depot://a')).contents).toEqual([{ uri: 'depot://a', text: 'b' }]);
    expect((await client.getPrompt('p')).messages).toEqual([{ role: 'user', content: safe }]);
  });

  it.each(['about:server', 'jar:file:///x.jar!/a', 'blob:bucket', 'depot://m\u0009/7'])(
    'is none where it is the URI that the caller asked for, or below it: %j',
    async (asked) => {
      const below = `${asked}/part`;
      const contents = [{ uri: asked, text: 'a' }, ...(asked.includes('\u0009') ? [] : [{ uri: below, text: 'b' }])];
      const read = { contents, ttlMs: 0, cacheScope: 'private' };
      const { client } = await reach({ results: { 'resources/read': read } });
      expect((await client.readResource(asked)).contents).toEqual(contents);
      const round = await client.request('resources/read', { uri: asked });
      expect(round).toMatchObject({ contents });
      expect(warnings).toEqual([]);
    },
  );

  it.each([
    ['about:server', 'about:serverless'],
    ['about:server', 'about:server/\u0001x'],
    ['depot://a', 'about:server'],
    ['', 'javascript:x'],
  ])('is one where the caller asked for %j and it is %j', async (asked, uri) => {
    const contents = [
      { uri, text: 'a' },
      { uri: asked, text: 'b' },
    ];
    const { client } = await reach({ results: { 'resources/read': { contents, ttlMs: 0, cacheScope: 'private' } } });
    expect((await client.readResource(asked)).contents).toEqual([{ uri: asked, text: 'b' }]);
  });

  it('leaves nothing of a resource or a prompt that is nothing else, which is refused', async () => {
    const { client } = await reach({
      results: {
        'resources/read': { contents: [{ uri: 'javascript:x', text: 'a' }], ttlMs: 0, cacheScope: 'private' },
        'prompts/get': { messages: [{ role: 'user', content: link }] },
      },
    });
    for (const reading of [client.readResource('depot://a'), client.getPrompt('p')]) {
      expect(await failure(reading)).toMatchObject({
        code: 'result-rejected',
        message: expect.stringContaining('not safe') as string,
      });
    }
  });

  it('leaves the entry of a list out that it names, with a reason', async () => {
    const { client } = await reach({
      results: {
        'resources/list': {
          resources: [
            { uri: 'JAVASCRIPT:x', name: 'bad' },
            { uri: 'depot://a', name: 'good' },
          ],
          ttlMs: 0,
          cacheScope: 'private',
        },
        'resources/templates/list': {
          resourceTemplates: [{ uriTemplate: 'javascript:{x}', name: 'bad' }],
          ttlMs: 0,
          cacheScope: 'private',
        },
      },
    });
    const listed = await client.listResources();
    expect(listed.resources.map(({ name }) => name)).toEqual(['good']);
    expect(listed.leftOut).toEqual([
      { name: 'JAVASCRIPT:x', reason: 'Its uri cannot be used: it has the scheme "javascript", which is not safe.' },
    ]);
    expect((await client.listResourceTemplates()).leftOut).toHaveLength(1);
  });

  it('is no website of a server, of either era', async () => {
    const websiteUrl = 'javascript:alert(1)';
    const modern: ScriptedPeer = createScriptedPeer(({ id }) => {
      const serverInfo = { name: 'a', version: '1', websiteUrl };
      modern.answer(id, { ...discovery, _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } });
      return true;
    });
    const legacy: ScriptedPeer = createScriptedPeer(({ id, method }) => {
      const serverInfo = { name: 'a', version: '1', websiteUrl };
      if (method === 'initialize') legacy.answer(id, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo });
      else if (id !== undefined) legacy.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
      return true;
    });
    for (const { transport } of [modern, legacy]) {
      const client = await connect(transport);
      expect(client.serverInfo).toEqual({ name: 'a', version: '1' });
      await client.close();
    }
  });

  it('names no check of its own that could be switched off', async () => {
    await expect(reach({}, { checks: { urls: 'off' } as object })).rejects.toThrow(
      new TypeError(
        'connect, checks: there is no option "urls"; known are schemas, unreadableSchemas, outputSchema, agreement, arguments, schemaLimits',
      ),
    );
  });
});
