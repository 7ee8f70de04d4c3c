import { createRequire } from 'node:module';
import { createServer, legacyClients, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ask, ConnectOptions, InputHandlers } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { closeAfterwards, textOf } from '../serve-http.ts';
import { said } from './asking-peer.ts';

const require = createRequire(import.meta.url);

function handlersThatNote(seen: Ask[]): InputHandlers {
  return {
    elicitForm(ask) {
      seen.push(ask);
      return Promise.resolve({ action: 'accept', content: { name: 'Ada' } });
    },
    elicitUrl(ask) {
      seen.push(ask);
      return Promise.resolve({ action: 'decline' });
    },
    sample(ask) {
      seen.push(ask);
      return Promise.resolve(said('Ahoy'));
    },
    roots: (ask) => {
      seen.push(ask);
      return Promise.resolve([{ uri: 'file:///srv/a' }]);
    },
  };
}

/** A server of this project over HTTP, for both eras. */
async function serveAll(): Promise<string> {
  const server = createServer({ name: 'depot', version: '1.0.0' }, { logger: silentLogger });
  server.tool('greet', {}, async (_args, ctx) => {
    const name = z.object({ name: z.string() });
    const form = await ctx.elicit('who', { message: 'Who comes?', schema: name });
    const page = await ctx.elicit('link', { message: 'Link', url: 'https://a.example/link' });
    const word = await ctx.sample('word', {
      messages: [{ role: 'user', content: { type: 'text', text: 'A greeting?' } }],
      maxTokens: 5,
    });
    const roots = await ctx.roots('where');
    return JSON.stringify([form, page.action, word.content, roots]);
  });
  const running = await serveHttp(server, { port: 0, legacy: legacyClients() });
  closeAfterwards(running);
  return running.url;
}

/** Has the server pass for a legacy one: discovery is answered as by a server that does not know it. */
const legacyOnly: ConnectOptions = {
  fetch: async (url, init) =>
    typeof init.body === 'string' && init.body.includes('"server/discover"')
      ? new Response('', { status: 404 })
      : fetch(url, init),
};

describe('a real server that asks', () => {
  it.each<[string, ConnectOptions, number[]]>([
    ['2026-07-28', {}, [1, 2, 3, 4]],
    ['2025-11-25', legacyOnly, [1, 2, 3, 4]],
  ])(
    '[LEGC-12] [sampling-01] gets the answers of the same handlers at %s, which know what they interrupt',
    async (revision, options, rounds) => {
      const seen: Ask[] = [];
      const client = closeAfterwards(
        await connect(await serveAll(), { name: 'depot', input: handlersThatNote(seen), ...options }),
      );
      expect(client.revision).toBe(revision);
      const text = textOf(await client.callTool('greet', {}));
      expect(JSON.parse(text)).toMatchObject([
        { action: 'accept', content: { name: 'Ada' } },
        'decline',
        { type: 'text', text: 'Ahoy' },
        [{ uri: 'file:///srv/a' }],
      ]);
      expect(seen.map(({ kind, round }) => [kind, round])).toEqual(
        ['form', 'url', 'sample', 'roots'].map((kind, index) => [kind, rounds[index]]),
      );
      for (const { interrupts } of seen) expect(interrupts).toMatchObject({ method: 'tools/call', name: 'greet' });
    },
  );

  it('[LEGC-12] may be the published server-everything, on stdio', async () => {
    const seen: Ask[] = [];
    const client = closeAfterwards(
      await connect(
        { command: process.execPath, args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js')] },
        {
          name: 'everything',
          input: {
            ...handlersThatNote(seen),
            elicitForm: (ask) => {
              seen.push(ask);
              return Promise.resolve({ action: 'accept', content: ask.prefill({ name: 'Ada' }) });
            },
          },
        },
      ),
    );
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['trigger-sampling-request', 'trigger-elicitation-request']));
    expect(textOf(await client.callTool('trigger-sampling-request', { prompt: 'x', maxTokens: 10 }))).toContain('Ahoy');
    expect(JSON.stringify(await client.callTool('trigger-elicitation-request'))).toContain('Ada');
    expect(seen.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['sample', 'form']));
  });
});
