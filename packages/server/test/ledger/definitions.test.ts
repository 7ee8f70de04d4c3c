import { metaKeys } from '@switchyard/protocol';
import { createServer, type Principal, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { openMemory } from '../memory-route.ts';
import { metaOf, requestOf } from '../wire.ts';

const bare = (): Server => createServer({ name: 'defined', version: '1.0.0' }, { logger: silentLogger });

describe('an icon', () => {
  const define: readonly (readonly [string, (icons: never) => unknown])[] = [
    ['server', (icons) => createServer({ name: 's', version: '1.0.0', icons })],
    ['tool', (icons) => bare().tool('t', { icons }, () => '')],
    ['resource', (icons) => bare().resource('test://r', { name: 'r', icons }, () => '')],
    ['resource', (icons) => bare().resourceTemplate('test://{r}', { name: 'r', icons }, () => '')],
    ['prompt', (icons) => bare().prompt('p', { icons }, () => '')],
  ];
  const faults = [
    [{}],
    ['https://icons.example/a.png'],
    [{ src: 'a.png' }],
    [{ src: 'javascript:alert(1)' }],
    [{ src: 'file:///a.png' }],
    [{ src: 'https://icons.example/a.png', sizes: ['48'] }],
    [{ src: 'https://icons.example/a.png', sizes: '48x48' }],
    [{ src: 'https://icons.example/a.png', theme: 'blue' }],
  ];

  it.each(define)('[ICON-11] of a %s is refused where it breaks a rule, and the error names both', (what, defining) => {
    for (const fault of faults) {
      expect(() => defining(fault as never)).toThrow(new RegExp(`^${what} \\w.*icons\\[0\\]`));
      expect(() => defining(fault as never)).toThrow(TypeError);
    }
  });

  it('[ICON-11] is listed as it was given', async () => {
    const icons = [
      { src: 'https://icons.example/a.svg', sizes: ['any'], mimeType: 'image/svg+xml' },
      { src: 'data:image/png;base64,AA==', sizes: ['48x48', '96x96'], theme: 'dark' as const },
    ];
    const server = createServer({ name: 's', version: '1.0.0', icons })
      .tool('t', { icons }, () => '')
      .resource('test://r', { name: 'r', icons }, () => '')
      .resourceTemplate('test://{r}', { name: 'r', icons }, () => '')
      .prompt('p', { icons }, () => '');
    const memory = openMemory(server);
    const listed = async (method: string, member: string): Promise<unknown> =>
      (await memory.request(method)).result?.[member];
    expect(await listed('tools/list', 'tools')).toMatchObject([{ icons }]);
    expect(await listed('resources/list', 'resources')).toMatchObject([{ icons }]);
    expect(await listed('resources/templates/list', 'resourceTemplates')).toMatchObject([{ icons }]);
    expect(await listed('prompts/list', 'prompts')).toMatchObject([{ icons }]);
    expect(await listed('server/discover', '_meta')).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { icons } });
  });
});

describe('the name of a tool', () => {
  it('[TOOL-11] is another one in other letters', async () => {
    const memory = openMemory(
      bare()
        .tool('sum', {}, () => 'small')
        .tool('Sum', {}, () => 'large'),
    );
    expect(await memory.call('sum')).toMatchObject({ content: [{ text: 'small' }] });
    expect(await memory.call('Sum')).toMatchObject({ content: [{ text: 'large' }] });
    await expect(memory.call('SUM')).rejects.toMatchObject({ code: -32602 });
  });
});

describe('a list', () => {
  it('[TOOL-04] may depend on who asks, on the same connection', async () => {
    const server = bare()
      .tool('look', {}, () => '')
      .tool('drop', {}, () => '')
      .use(async (request, next) => {
        if (request.method !== 'tools/list') return next(request);
        const page = await next(request);
        const isOwner = request.context.principal?.subject === 'owner';
        return { ...page, cacheScope: 'private', tools: page.tools.filter(({ name }) => isOwner || name !== 'drop') };
      });
    const route = await openNodeRoute(server, {
      authenticate: (head): Principal => ({ subject: head.header('authorization') ?? 'nobody' }),
    });
    const namesFor = async (authorization: string): Promise<unknown> => {
      const answer = await route.call(postOf(requestOf('tools/list'), { authorization }));
      const { tools } = messageOf(answer).result as { readonly tools: readonly { readonly name: string }[] };
      return tools.map(({ name }) => name);
    };
    expect(await namesFor('owner')).toEqual(['drop', 'look']);
    expect(await namesFor('guest')).toEqual(['look']);
  });
});

describe('a result', () => {
  it('[MSG-09] may have members that the protocol does not know', async () => {
    const result = { resultType: 'complete', content: [], 'example.com': { a: 1 } };
    const server = bare().tool('t', {}, () => result as never);
    expect((await openMemory(server).request('tools/call', { name: 't', arguments: {} })).result).toMatchObject(result);
  });
});

describe('what a client says of itself', () => {
  it('[META-10] changes nothing: every name gets the same answers, and none, too', async () => {
    const memory = openMemory(
      bare()
        .tool('t', {}, () => 'ran')
        .resource('test://r', { name: 'r' }, () => 'read')
        .prompt('p', {}, () => 'said'),
    );
    const requests = [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', { name: 't', arguments: {} }],
      ['tools/call', { name: 'absent', arguments: {} }],
      ['resources/read', { uri: 'test://r' }],
      ['prompts/get', { name: 'p' }],
    ] as const;
    const answersTo = (info: object | undefined): Promise<unknown[]> =>
      Promise.all(
        requests.map(async ([method, params]) => {
          const meta = metaOf(info === undefined ? {} : { [metaKeys.clientInfo]: info });
          const { result, error } = await memory.request(method, params, meta);
          return result ?? error;
        }),
      );
    const answers = await answersTo(undefined);
    for (const name of ['administrator', 'claude-ai', 'Switchyard', ''])
      expect(await answersTo({ name, version: '9' })).toEqual(answers);
  });
});
