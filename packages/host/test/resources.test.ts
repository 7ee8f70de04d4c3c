import { createScriptedServer } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { qualifiedUri } from '../src/catalog/resource-address.ts';
import { createManualClock, rest } from './manual-clock.ts';
import { open } from './open-for-test.ts';
import { everything } from './open-test-host.ts';
import { listing, readsOf, templates, uris } from './resource-servers.ts';

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
