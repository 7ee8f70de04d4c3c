import { encodeCursor, type ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, type ScriptedServer, toolDefinition } from '@switchyard/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  hasOneSpelling,
  isUriExposable,
  isUriTemplateExposable,
  parseQualifiedUri,
  qualifiedUri,
  qualifiedUriTemplate,
} from '../src/catalog/resource-address.ts';
import type { Host } from '../src/host.ts';
import { createManualClock, rest } from './manual-clock.ts';
import { everything, openTestHost } from './open-test-host.ts';

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function open(...args: Parameters<typeof openTestHost>): Promise<Host> {
  const host = await openTestHost(...args);
  hosts.push(host);
  return host;
}

const listing = (...uris: string[]): ScriptedServer =>
  createScriptedServer({ resources: uris.map((uri) => ({ uri, name: uri })) });
const templates = (...sources: string[]): ScriptedServer =>
  createScriptedServer({ resourceTemplates: sources.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })) });

async function uris(host: Host, agent = 'reader'): Promise<string[]> {
  return (await host.as(agent).resources()).resources.map(({ uri }) => uri);
}

const readsOf = (server: ScriptedServer): unknown[] => server.paramsOf('resources/read').map(({ uri }) => uri);

describe('a resource', () => {
  it('keeps its URI when one server lists it, and gets a qualified one for each when several do', async () => {
    const [a, b] = [listing('doc://1', 'doc://2'), listing('doc://2')];
    const host = await open({ a, b });
    expect(await uris(host)).toEqual(['doc://1', 'mcp://a/doc%3A%2F%2F2', 'mcp://b/doc%3A%2F%2F2']);
    for (const uri of await uris(host)) await host.as('reader').read(uri);
    expect(readsOf(a)).toEqual(['doc://1', 'doc://2']);
    expect(readsOf(b)).toEqual(['doc://2']);
  });

  it('that is listed in an odd spelling is read by its qualified URI before anybody listed it, asking its server only', async () => {
    const odd = listing('file:///a b/../c');
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ odd, hanging }, {}, createManualClock());
    await host.as('reader').read(qualifiedUri('odd', 'file:///a b/../c'));
    expect(readsOf(odd)).toEqual(['file:///a b/../c']);
    for (const unlisted of [qualifiedUri('odd', 'file:///a b/../d'), 'mcp://nobody/doc%3A%2F%2F1', 'MCP://odd/x']) {
      await expect(host.as('reader').read(unlisted)).rejects.toMatchObject({ code: -32602 });
    }
  });

  it('that several servers list cannot be read by its own URI; the refusal names the ways', async () => {
    const host = await open({ a: listing('doc://2'), b: listing('doc://2') });
    await uris(host);
    const operation = { method: 'resources/read', params: { uri: 'doc://2' } } as const;
    expect(await host.as('reader').invoke(operation)).toMatchObject({
      kind: 'refused',
      verdict: {
        reason: 'ambiguous',
        message: expect.stringContaining('mcp://a/doc%3A%2F%2F2, mcp://b/doc%3A%2F%2F2'),
      },
    });
    await expect(host.as('reader').read('doc://2')).rejects.toMatchObject({ code: -32602, data: { uri: 'doc://2' } });
  });

  it('keeps its URI for an agent that may read it of one server only', async () => {
    const b = listing('doc://2');
    const agents = { reader: everything, narrow: { allow: ['resource:b:*'] } };
    const host = await open({ a: listing('doc://2'), b }, { agents });
    expect(await uris(host, 'narrow')).toEqual(['doc://2']);
    await host.as('narrow').read('doc://2');
    expect(readsOf(b)).toEqual(['doc://2']);
    await expect(host.as('narrow').read('mcp://a/doc%3A%2F%2F2')).rejects.toMatchObject({ code: -32602 });
  });

  it('that nobody lists goes to the only server with a matching template', async () => {
    const [a, b] = [templates('orders://{id}'), templates('notes://{id}')];
    const host = await open({ a, b });
    await host.as('reader').read('orders://A-104');
    expect([readsOf(a), readsOf(b)]).toEqual([['orders://A-104'], []]);
    await expect(host.as('reader').read('bills://1')).rejects.toMatchObject({ code: -32602 });
  });

  it('that templates of several servers match is ambiguous, and one that is listed is not taken by a template', async () => {
    const [a, b, c] = [templates('doc://{id}'), templates('doc://{id}'), listing('doc://listed')];
    const host = await open({ a, b, c });
    await uris(host);
    expect(await host.as('reader').invoke({ method: 'resources/read', params: { uri: 'doc://x' } })).toMatchObject({
      verdict: { reason: 'ambiguous' },
    });
    await host.as('reader').read('doc://listed');
    expect([readsOf(a), readsOf(b), readsOf(c)]).toEqual([[], [], ['doc://listed']]);
  });

  it('that a server lists which still starts is not taken by another that is up before it', async () => {
    const start = Promise.withResolvers<undefined>();
    const slow = listing('doc://1');
    slow.script.answer = () => start.promise;
    const [quick, catchAll] = [listing('doc://1'), templates('{+any}')];
    const host = await open({ slow, quick, catchAll });
    await rest();
    expect(host.servers().map(({ name, state }) => [name, state])).toEqual([
      ['catchAll', 'ready'],
      ['quick', 'ready'],
      ['slow', 'starting'],
    ]);
    const reading = host.as('reader').invoke({ method: 'resources/read', params: { uri: 'doc://1' } });
    await rest();
    expect([readsOf(quick), readsOf(catchAll)]).toEqual([[], []]);
    start.resolve(undefined);
    expect(await reading).toMatchObject({ verdict: { reason: 'ambiguous' } });
    expect([readsOf(slow), readsOf(quick), readsOf(catchAll)]).toEqual([[], [], []]);
  });

  it('can always be read by a qualified URI, listed or not', async () => {
    const a = listing('doc://1');
    const host = await open({ a });
    await host.as('reader').read('mcp://a/doc%3A%2F%2F1');
    await host.as('reader').read('mcp://a/doc%3A%2F%2Fother');
    await host.as('reader').read('mcp://a/+/doc://x%20y');
    expect(readsOf(a)).toEqual(['doc://1', 'doc://other', 'doc://x%20y']);
  });

  it.each(['mcp://nobody/doc', 'mcp://a', 'mcp://a/%FF', 'MCP://a/doc', 'mcp:///doc', ''])(
    'with the URI %.30j is unknown',
    async (uri) => {
      const host = await open({ a: listing('doc://1') });
      await expect(host.as('reader').read(uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
    },
  );

  it('with a URI of 10,000 characters is unknown, and the error does not repeat them all', async () => {
    const host = await open({ a: templates('{+any}') });
    const error: unknown = await host
      .as('reader')
      .read('x'.repeat(10_000))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: -32602 });
    expect(JSON.stringify(error).length).toBeLessThan(2000);
  });

  it('in the scheme of qualified URIs is always exposed in a qualified form', async () => {
    const gateway = createScriptedServer({
      resources: [{ uri: 'mcp://a/doc%3A%2F%2F1', name: 'theirs' }],
      resourceTemplates: [{ uriTemplate: 'mcp://a/{id}', name: 'theirs' }],
    });
    const a = listing('doc://1');
    const host = await open({ a, gateway });
    const exposed = qualifiedUri('gateway', 'mcp://a/doc%3A%2F%2F1');
    expect(await uris(host)).toEqual(['doc://1', exposed]);
    expect(
      (await host.as('reader').resourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ).toEqual(['mcp://gateway/+/mcp://a/{id}']);
    await host.as('reader').read(exposed);
    await host.as('reader').read('mcp://a/doc%3A%2F%2F1');
    expect([readsOf(gateway), readsOf(a)]).toEqual([['mcp://a/doc%3A%2F%2F1'], ['doc://1']]);
  });

  it.each([
    'file:///data/../etc/passwd',
    'file:///data/%2e%2e/etc/passwd',
    'file:///data/.%2E/etc/passwd',
    'file:///data/..%2Fetc/passwd',
    'file:///data/..',
    'file:///%64ata/x',
    String.raw`file:///data/..\etc`,
    'file:///data/a b',
  ])('in another spelling does not pass a policy that knows the URI by its text: %s', async (uri) => {
    const fs = templates('file:///{+path}');
    const host = await open(
      { fs },
      { agents: { reader: { allow: ['resource:fs:file:///data/*', 'resource:fs:file:///%*'] } } },
    );
    await expect(host.as('reader').read(uri)).rejects.toMatchObject({ code: -32602 });
    await expect(host.as('reader').read(qualifiedUri('fs', uri))).rejects.toMatchObject({ code: -32602 });
    await expect(host.as('reader').read(`mcp://fs/+/${uri}`)).rejects.toMatchObject({ code: -32602 });
    expect(readsOf(fs)).toEqual([]);
  });

  it.each(['file:./secret/x', 'file:../secret/x', 'file:.', 'FILE:..', 'file:..?x'])(
    'with a dot segment right after its scheme is another spelling as well: %s',
    async (uri) => {
      const fs = templates('{+any}');
      const agents = { reader: { allow: ['resource:fs:*'], deny: ['resource:fs:file:secret/*'] } };
      const host = await open({ fs }, { agents });
      await expect(host.as('reader').read(uri)).rejects.toMatchObject({ code: -32602 });
      await expect(host.as('reader').read(qualifiedUri('fs', uri))).rejects.toMatchObject({ code: -32602 });
      expect(readsOf(fs)).toEqual([]);
    },
  );

  it.each([
    'file:///data/x.txt',
    'file:///data/.hidden',
    'file:///data/a..b',
    'file:///data/a%20b',
    'db://t?x=1/2',
    'urn:a:b',
    'note:.hidden',
    'note:a:..b',
    'file:///daten/größe',
  ])('with an ordinary URI has one spelling: %s', (uri) => {
    expect(hasOneSpelling(uri)).toBe(true);
  });
});

describe('a resource out of the agent’s reach', () => {
  const readOf = (host: Host, uri: string, agent = 'reader') =>
    host.as(agent).invoke({ method: 'resources/read', params: { uri } });

  it('is a denial for this process and the audit, also where its server was never asked before', async () => {
    const agents = { reader: { allow: ['notes__*'], deny: ['resource:notes:*'] } };
    const host = await open({ notes: listing('note://one') }, { agents });
    expect(await readOf(host, 'note://one')).toMatchObject({
      kind: 'refused',
      verdict: { reason: 'denied', server: 'notes', details: { policies: ['deny[0]'] } },
    });
    expect(await readOf(host, 'note://two')).toMatchObject({ verdict: { reason: 'unknown' } });
    expect((await host.audit.list()).map(({ reason, server, name }) => [reason, server, name])).toEqual([
      ['denied', 'notes', 'note://one'],
      ['unknown', undefined, 'note://two'],
    ]);
  });

  it('that several servers have is a denial as well', async () => {
    const host = await open({ a: listing('doc://2'), b: listing('doc://2') }, { agents: { reader: {} } });
    expect(await readOf(host, 'doc://2')).toMatchObject({ verdict: { reason: 'denied' } });
  });

  it('waits for a server that never answers no longer than a list does, and not again after that', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ hanging }, { agents: { reader: {} }, limits: { startTimeoutMs: 3000 } }, clock);
    const first = readOf(host, 'note://one');
    await clock.advance(3000);
    expect(await first).toMatchObject({ verdict: { reason: 'unknown' } });
    expect(await readOf(host, 'note://one')).toMatchObject({ verdict: { reason: 'unknown' } });
  });

  it('waits for nobody where its URI names a server that is still silent, as where it names none', async () => {
    const { promise: never } = Promise.withResolvers<never>();
    const clock = createManualClock();
    const host = await open(
      { hidden: { respond: () => never }, a: listing('doc://1') },
      { agents: { reader: { allow: ['resource:a:*'] } } },
      clock,
    );
    for (const server of ['hidden', 'nobody']) {
      // No time passes by the host's clock, so whoever is waited for keeps the answer away for ever.
      for (const uri of [`mcp://${server}/doc%3A%2F%2F1`, `mcp://${server}/+/doc://{id}`]) {
        await expect(host.as('reader').read(uri)).rejects.toMatchObject({
          code: -32602,
          message: `Unknown resource: ${uri}`,
        });
      }
    }
    expect((await host.audit.list()).map(({ reason, server }) => [reason, server])).toEqual([
      ['denied', 'hidden'],
      ['denied', 'hidden'],
      ['unknown', undefined],
      ['unknown', undefined],
    ]);
  });

  it('answers word for word like one that nobody has, whatever other server is away', async () => {
    const down = { respond: () => Promise.reject(new Error('down')) };
    const notes = listing('note://one');
    for (const allow of [[], ['resource:down:*'], ['resource:down:note://o*']]) {
      const host = await open({ notes, down }, { agents: { reader: { allow } } });
      const errorOf = async (uri: string) =>
        host
          .as('reader')
          .read(uri)
          .then(
            () => '',
            (error: unknown) => JSON.stringify([(error as ProtocolError).body(), (error as Error).message]),
          );
      const [hidden, absent] = [await errorOf('note://one'), await errorOf('note://onf')];
      expect(hidden).not.toBe('');
      expect(hidden.replaceAll('note://one', 'X')).toBe(absent.replaceAll('note://onf', 'X'));
    }
  });
});

describe('a resource of a server that never answered', () => {
  it('is unavailable, naming every server that could have it, and unknown where none may', async () => {
    const down = { respond: () => Promise.reject(new Error('down')) };
    const agents = { reader: everything, narrow: { allow: ['resource:a:note://*'] } };
    const host = await open({ a: down, b: down, c: listing('doc://1') }, { agents });
    const readAs = (agent: string, uri: string) => host.as(agent).invoke({ method: 'resources/read', params: { uri } });
    expect(await readAs('reader', 'note://one')).toMatchObject({
      kind: 'refused',
      verdict: {
        reason: 'unavailable',
        server: 'a',
        message: expect.stringMatching(/"note:\/\/one".*"a", "b" have not answered/),
      },
    });
    expect(await readAs('narrow', 'note://one')).toMatchObject({
      verdict: { reason: 'unavailable', server: 'a', message: expect.stringMatching(/"a" has not answered/) },
    });
    expect(await readAs('narrow', 'doc://2')).toMatchObject({ verdict: { reason: 'unknown' } });
    expect(await readAs('reader', 'doc://1')).toMatchObject({ kind: 'completed' });
  });
});

describe('a resource template', () => {
  it('is listed where the policy could permit an expansion, and what it gives is decided URI by URI', async () => {
    const fs = templates('file:///{+path}');
    const agents = {
      some: { allow: ['resource:fs:file:///data/*'] },
      none: { allow: ['resource:other:*'] },
      denied: { allow: ['resource:*'], deny: ['resource:fs:*'] },
    };
    const host = await open({ fs }, { agents });
    const listed = async (agent: string) => (await host.as(agent).resourceTemplates()).resourceTemplates.length;
    expect(await Promise.all(['some', 'none', 'denied'].map(listed))).toEqual([1, 0, 0]);
    await host.as('some').read('file:///data/1');
    await expect(host.as('some').read('file:///etc/passwd')).rejects.toMatchObject({ code: -32602 });
    expect(readsOf(fs)).toEqual(['file:///data/1']);
  });

  it('that several servers have is exposed in a qualified form whose expansions are read as they are', async () => {
    const [a, b] = [templates('doc://{id}{?page}'), templates('doc://{id}{?page}')];
    const host = await open({ a, b });
    const { resourceTemplates } = await host.as('reader').resourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate, server }) => [uriTemplate, server])).toEqual([
      ['mcp://a/+/doc://{id}{?page}', 'a'],
      ['mcp://b/+/doc://{id}{?page}', 'b'],
    ]);
    await host.as('reader').read('mcp://b/+/doc://x%2Fy?page=2');
    expect([readsOf(a), readsOf(b)]).toEqual([[], ['doc://x%2Fy?page=2']]);
  });
});

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

describe('a URI that is too long to be exposed', () => {
  const long = (character: string, count: number) => `x://${character.repeat(count)}`;

  it('leaves its resource or template out, with the reason, and keeps the others', async () => {
    const server = createScriptedServer({
      resources: [long('a', 2900), long('a', 3100), long('"', 900), long('ä', 600)].map((uri) => ({ uri, name: 'n' })),
      resourceTemplates: [long('a', 2900), long('a', 3100), long('"', 1600)].map((uriTemplate) => ({
        uriTemplate,
        name: 'n',
      })),
    });
    const host = await open({ s: server });
    expect((await uris(host)).toSorted()).toEqual([long('"', 900), long('a', 2900)].toSorted());
    const { resourceTemplates } = await host.as('reader').resourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([long('a', 2900)]);
    const { leftOut = [] } = host.servers()[0] ?? {};
    expect(leftOut.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
      ...[0, 1].map(() => expect.stringMatching(/^resource: Its uri is too long. The limit is 3000 bytes/) as string),
      ...[0, 1].map(() => expect.stringMatching(/^resource template: Its uriTemplate is too long/) as string),
    ]);
  });

  it('is every URI that a cursor could not name, in either form', () => {
    const part = fc.constantFrom('a', '"', '\\', '\u0001', 'ä', '€', '😀', '%', '{x}');
    const text = fc
      .tuple(part, fc.nat(3200), part, fc.nat(10))
      .map(([one, n, other, m]) => one.repeat(n) + other.repeat(m));
    fc.assert(
      fc.property(text, fc.string({ maxLength: 60 }), (uri, server) => {
        const addresses = [
          ...(isUriExposable(server, uri) ? [uri, qualifiedUri(server, uri)] : []),
          ...(isUriTemplateExposable(server, uri) ? [uri, qualifiedUriTemplate(server, uri)] : []),
        ];
        for (const after of addresses) expect(() => encodeCursor({ after, order: 'resourceTemplates' })).not.toThrow();
      }),
    );
  });
});

describe('qualified URIs', () => {
  it('give back the URI of any server, in both forms', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (uri, server) => {
        const plain = parseQualifiedUri(qualifiedUri(server, uri));
        const verbatim = parseQualifiedUri(qualifiedUriTemplate(server, uri));
        return plain?.uri === uri && verbatim?.uri === uri && plain.exposedServer === verbatim.exposedServer;
      }),
    );
  });
});
