import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { qualifiedUri } from '../src/catalog/resource-address.ts';
import { open } from './open-for-test.ts';
import { readsOf } from './resource-servers.ts';

const named = (uriTemplate: string) => ({ uriTemplate, name: uriTemplate });

/** Templates of as many parts as a template can have, which begin as the URI and do not match it. */
const costly = Array.from({ length: 20 }, (_, at) => named(`doc://${'{a}x'.repeat(60)}${at}`));
const longUri = `doc://${'x'.repeat(8000)}`;

describe('the work of a lookup', () => {
  it('is bounded for each server, so that the templates of one hold up no other', async () => {
    const costlyServer = createScriptedServer({ resourceTemplates: [...costly, named('doc://{+any}')] });
    const plain = createScriptedServer({ resourceTemplates: [named('doc://{id}')] });
    const host = await open({ costlyServer, plain });
    const reader = host.as('reader');
    await reader.resourceTemplates();
    await reader.read(longUri);
    expect([readsOf(costlyServer), readsOf(plain)]).toEqual([[], [longUri]]);
    // A qualified URI needs no template, and a short one is no work.
    await reader.read(qualifiedUri('costlyServer', longUri));
    await expect(reader.read('doc://1')).rejects.toMatchObject({ code: -32602 });
    expect(readsOf(costlyServer)).toEqual([longUri]);
  });

  it.each([
    ['cheap', [named('doc://{id}')], (at: number) => `doc://${at}`],
    ['costly', [...costly, named('doc://{id}')], (at: number) => `doc://${'x'.repeat(100)}/${at}`],
  ])('is bounded for all links of one result where each is %s', async (_how, resourceTemplates, uriOf) => {
    const content = Array.from({ length: 5000 }, (_, at) => ({ type: 'resource_link', name: 'l', uri: uriOf(at) }));
    const server = createScriptedServer({
      resourceTemplates: [...resourceTemplates, named('doc://{+any}')],
      tools: [toolDefinition('list')],
      answer: (method) => (method === 'tools/call' ? { content } : undefined),
    });
    const host = await open({ server });
    const reader = host.as('reader');
    await reader.resourceTemplates();
    const result = await reader.call('server__list');
    const uris = result.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
    const own = uris.filter((uri, at) => uri === uriOf(at)).length;
    expect(own).toBeGreaterThan(50);
    expect(own).toBeLessThan(2000);
    expect(uris).toEqual(content.map(({ uri }, at) => (at < own ? uri : qualifiedUri('server', uri))));
    await reader.read(uris.at(-1) ?? '');
    expect(readsOf(server)).toEqual([uriOf(4999)]);
  });

  it('is bounded for all links of one result, however many templates there are that begin otherwise', async () => {
    const resourceTemplates = Array.from({ length: 5000 }, (_, at) => named(`doc://t${at}/{id}`));
    const content = Array.from({ length: 5000 }, (_, at) => ({ type: 'resource_link', name: 'l', uri: `doc://${at}` }));
    const server = createScriptedServer({
      resourceTemplates,
      tools: [toolDefinition('list')],
      answer: (method) => (method === 'tools/call' ? { content } : undefined),
    });
    const host = await open({ server });
    const reader = host.as('reader');
    await reader.resourceTemplates();
    const start = performance.now();
    const result = await reader.call('server__list');
    // Without a bound these are 25 million looks, which take several seconds.
    expect(performance.now() - start).toBeLessThan(2000);
    expect(result.content.at(-1)).toMatchObject({ uri: qualifiedUri('server', 'doc://4999') });
  });

  it('is none for a link that is too long to be read, which gets its qualified form', async () => {
    const uri = `doc://${'x'.repeat(8187)}`;
    const server = createScriptedServer({
      resourceTemplates: [named('doc://{id}')],
      tools: [toolDefinition('link')],
      answer: (method) =>
        method === 'tools/call' ? { content: [{ type: 'resource_link', name: 'l', uri }] } : undefined,
    });
    const host = await open({ server });
    await host.as('reader').resourceTemplates();
    expect((await host.as('reader').call('server__link')).content).toMatchObject([
      { uri: qualifiedUri('server', uri) },
    ]);
  });
});
