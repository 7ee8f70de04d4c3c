import { createScriptedServer, type ScriptedServer } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { qualifiedUri, qualifiedUriTemplate } from '../src/catalog/resource-address.ts';
import { createAgentPolicy } from '../src/policy/agent-policy.ts';
import { governedByUri } from '../src/policy/governed.ts';
import { usualSpelling } from '../src/policy/usual-spelling.ts';
import { open } from './open-for-test.ts';

type Lists = { allow?: string[]; ask?: string[]; deny?: string[] };

const effectOn = ({ allow = [], ask = [], deny = [] }: Lists, uri: string): string =>
  createAgentPolicy('reader', { allow, ask, deny }, ['fs']).decide(governedByUri('fs', uri)).effect;

const spellings = [
  ['file:///secret/*', 'FILE:///secret/x'],
  ['file:///secret/*', 'file:/secret/x'],
  ['file:///secret/*', 'file://localhost/secret/x'],
  ['file:///secret/*', 'file:////secret//x'],
  ['file:///secret/*', 'file:///secret%2Fx'],
  ['file:///secret/x', 'file:///secret/x?'],
  ['file:///secret/x', 'file:///secret/x?y'],
  ['note://secret', 'note://secret#'],
  ['note://secret', 'note://secret#part'],
  ['note://secret', 'note://secret?'],
  ['note://secret/*', 'NOTE://Secret/x'],
  ['note://Secret/*', 'note://secret/x'],
  ['note://geheim/ä', 'note://geheim/%C3%A4'],
  ['note://geheim/%c3%a4', 'note://geheim/ä'],
  ['note://geheim/%C3%A4', 'note://geheim/%c3%a4'],
  ['https://example.com/*', 'https://EXAMPLE.com:443/x'],
  ['https://example.com/*', 'https://example.com'],
] as const;

describe('another spelling of a URI', () => {
  it.each(spellings)('does not pass by what denies %s: %s', (pattern, uri) => {
    expect(effectOn({ allow: ['resource:fs:*'], deny: [`resource:fs:${pattern}`] }, uri)).toBe('deny');
  });

  it.each(spellings)('does not pass by what wants to be asked for %s: %s', (pattern, uri) => {
    expect(effectOn({ allow: ['resource:fs:*'], ask: [`resource:fs:${pattern}`] }, uri)).toBe('ask');
  });

  it.each(spellings)('is not what is allowed with %s: %s', (pattern, uri) => {
    expect(effectOn({ allow: [`resource:fs:${pattern}`] }, uri)).toBe('deny');
  });

  it('reaches no server, asked for or listed', async () => {
    const fs = createScriptedServer({
      resources: [{ uri: 'FILE:///secret/listed', name: 'listed' }],
      resourceTemplates: [{ uriTemplate: 'file:///{+path}', name: 'file' }],
    });
    const agents = { reader: { allow: ['resource:*'], deny: ['resource:fs:file:///secret/*'] } };
    const reader = (await open({ fs }, { agents })).as('reader');
    expect((await reader.resources()).resources).toEqual([]);
    for (const uri of ['FILE:///secret/listed', 'FILE:///secret/x', 'file:////secret/x', 'file:/secret/x']) {
      for (const address of [uri, qualifiedUri('fs', uri), `mcp://fs/+/${uri}`]) {
        await expect(reader.read(address)).rejects.toMatchObject({ code: -32602 });
      }
    }
    await reader.read('file:///open//x');
    expect(fs.paramsOf('resources/read')).toMatchObject([{ uri: 'file:///open//x' }]);
  });

  it.each(['x', 'urn:isbn:1', 'note://a/b?c=d', 'http://[::1]:7420/%7Ea', 'note:a', '\ud800', ''])(
    'is none where it is usual or no URL: %j',
    (uri) => {
      expect(usualSpelling(uri)).toBe(uri);
    },
  );
});

describe('the completion of a resource template', () => {
  const template = 'note://{dept}/{id}';
  const completing = (name: string, value: string, settled?: { [name: string]: string }, uri = template) => ({
    ref: { type: 'ref/resource', uri } as const,
    argument: { name, value },
    ...(settled === undefined ? {} : { context: { arguments: settled } }),
  });

  async function isCompleted(fs: ScriptedServer, lists: Lists, params: ReturnType<typeof completing>) {
    const reader = (await open({ fs }, { agents: { reader: lists } })).as('reader');
    const { kind } = await reader.invoke({ method: 'completion/complete', params });
    expect(fs.paramsOf('completion/complete')).toHaveLength(kind === 'completed' ? 1 : 0);
    return kind === 'completed';
  }

  const denying = { allow: ['resource:fs:*'], deny: ['resource:fs:note://secret/*'] };
  const allowing = { allow: ['resource:fs:note://open/*'] };

  it.each([
    ['what is denied', denying, completing('id', '', { dept: 'secret' }), false],
    [
      'what is denied, by its qualified form',
      denying,
      completing('id', '', { dept: 'secret' }, qualifiedUriTemplate('fs', template)),
      false,
    ],
    ['something else', denying, completing('id', '', { dept: 'open' }), true],
    ['anything', denying, completing('dept', ''), true],
    [
      'what is denied, by how it begins',
      { ...denying, deny: ['resource:fs:note://sec*'] },
      completing('dept', 'secr'),
      false,
    ],
    ['what is allowed', allowing, completing('id', 'x', { dept: 'open' }), true],
    ['what is not allowed', allowing, completing('id', 'x', { dept: 'secret' }), false],
    [
      'what is not allowed through a dot segment',
      allowing,
      completing('id', '', { dept: 'open/../secret' }, 'mcp://fs/+/note://{+dept}/{id}'),
      false,
    ],
    ['what nothing says yet', allowing, completing('dept', ''), false],
  ] satisfies [string, Lists, ReturnType<typeof completing>, boolean][])(
    'that leads to %s is decided on as its URIs are',
    async (_, lists, params, isPermitted) => {
      const fs = createScriptedServer({
        resourceTemplates: [template, 'note://{+dept}/{id}'].map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
      });
      expect(await isCompleted(fs, lists, params)).toBe(isPermitted);
    },
  );

  it('is asked of the server under its template, never under one that it does not list', async () => {
    const fs = createScriptedServer({ resourceTemplates: [{ uriTemplate: template, name: 'note' }] });
    const reader = (await open({ fs }, { agents: { reader: { allow: ['resource:fs:*'] } } })).as('reader');
    for (const uri of [template, qualifiedUriTemplate('fs', template)]) {
      await reader.complete(completing('id', 'x', { dept: 'a' }, uri));
    }
    for (const uri of ['mcp://fs/+/note://{other}', qualifiedUri('fs', template)]) {
      await expect(reader.complete(completing('id', 'x', { dept: 'a' }, uri))).rejects.toMatchObject({ code: -32602 });
    }
    expect(fs.paramsOf('completion/complete')).toMatchObject([{ ref: { uri: template } }, { ref: { uri: template } }]);
  });
});
