import { encodeCursor } from '@switchyard/protocol';
import { createScriptedServer } from '@switchyard/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasOneSpelling,
  isUriExposable,
  isUriTemplateExposable,
  parseQualifiedUri,
  qualifiedUri,
  qualifiedUriTemplate,
} from '../src/catalog/resource-address.ts';
import { open } from './open-for-test.ts';
import { readsOf, templates, uris } from './resource-servers.ts';

describe('a resource', () => {
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
