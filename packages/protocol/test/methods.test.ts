import { describe, expect, it } from 'vitest';

import { isModernMethod, methodOf, type MethodName, methods } from '../src/methods.ts';
import { describeMisfit } from '../src/shape.ts';

const names = Object.keys(methods) as MethodName[];
const modern = names.filter((name) => isModernMethod(methodOf(name)));
const core = modern.filter((name) => methodOf(name)?.extension === undefined);

describe('the method table', () => {
  it('[MSG-35] has the methods of 2026-07-28, and the removed ones for legacy peers alone', () => {
    expect(core.sort()).toEqual([
      'completion/complete',
      'prompts/get',
      'prompts/list',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'server/discover',
      'subscriptions/listen',
      'tools/call',
      'tools/list',
    ]);
    for (const removed of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) {
      expect(isModernMethod(methodOf(removed))).toBe(false);
    }
  });

  it.each(['toString', '__proto__', 'constructor', 'hasOwnProperty', '', 'TOOLS/LIST', 'tools/list '])(
    '[MSG-19] knows no method %j',
    (name) => {
      expect(methodOf(name)).toBeUndefined();
      expect(isModernMethod(methodOf(name))).toBe(false);
    },
  );

  it('[TASK-52] [EXT-13] [EXT-16] has the methods of extensions under their identifiers', () => {
    const extended = modern.filter((name) => methodOf(name)?.extension !== undefined);
    expect(Object.fromEntries(extended.map((name) => [name, methodOf(name)?.extension]))).toEqual({
      'resources/directory/read': 'io.modelcontextprotocol/skills',
      'skills/get': 'io.modelcontextprotocol/skills',
      'skills/list': 'io.modelcontextprotocol/skills',
      'tasks/cancel': 'io.modelcontextprotocol/tasks',
      'tasks/get': 'io.modelcontextprotocol/tasks',
      'tasks/update': 'io.modelcontextprotocol/tasks',
    });
    expect(modern.filter((name) => methodOf(name)?.needsDeclaration === true)).toEqual([
      'tasks/get',
      'tasks/update',
      'tasks/cancel',
    ]);
  });

  it('says of each method that lists which member of its result holds the entries, and what an entry is found by', () => {
    const lists = modern.flatMap((name) => {
      const list = methodOf(name)?.list;
      return list === undefined ? [] : [{ name, ...list }];
    });
    expect(lists.map(({ name, member }) => `${name} ${member}`)).toEqual([
      'tools/list tools',
      'resources/list resources',
      'resources/templates/list resourceTemplates',
      'prompts/list prompts',
      'skills/list skills',
      'resources/directory/read resources',
    ]);
    const whole: { readonly [member: string]: unknown } = {
      name: 'a',
      uri: 'a:b',
      uriTemplate: 'a:{b}',
      inputSchema: { type: 'object' },
      frontmatter: {},
      resources: 'dynamic',
    };
    const found = lists.map(({ name, member, key, entry }) => {
      const { [key]: _missing, ...rest } = whole;
      return {
        name,
        empty: methods[name].result({ [member]: [], ttlMs: 0, cacheScope: 'private' }),
        without: methods[name].result({ ttlMs: 0, cacheScope: 'private' })?.at,
        badCursor: methods[name].params({ cursor: 7, uri: 'a:b' })?.at,
        withoutKey: entry(rest)?.at,
      };
    });
    expect(found).toEqual(
      lists.map(({ name, member, key }) => ({
        name,
        empty: undefined,
        without: `.${member}`,
        badCursor: '.cursor',
        withoutKey: `.${key}`,
      })),
    );
  });

  it.each(['tasks/result', 'tasks/list'])('[TASK-40] knows no method %j', (name) => {
    expect(methodOf(name)).toBeUndefined();
  });

  it('names the id of a task as what Mcp-Name repeats of the methods of tasks', () => {
    const named = modern.filter((name) => methodOf(name)?.nameFrom === 'taskId');
    expect(named.sort()).toEqual(['tasks/cancel', 'tasks/get', 'tasks/update']);
  });

  it('[HDR-09] names the member that Mcp-Name repeats for the three methods that have one', () => {
    const named = core.filter((name) => methodOf(name)?.nameFrom !== undefined);
    expect(Object.fromEntries(named.map((name) => [name, methodOf(name)?.nameFrom]))).toEqual({
      'prompts/get': 'name',
      'resources/read': 'uri',
      'tools/call': 'name',
    });
  });

  it('[CACHE-01] marks the six cacheable methods, and those that may ask for input', () => {
    expect(core.filter((name) => methodOf(name)?.cacheable === true).sort()).toEqual([
      'prompts/list',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'server/discover',
      'tools/list',
    ]);
    expect(modern.filter((name) => methodOf(name)?.mayRequireInput === true).sort()).toEqual([
      'prompts/get',
      'resources/read',
      'tools/call',
    ]);
  });

  it.each<[MethodName, object, string | undefined]>([
    ['tools/call', { name: 'sum' }, undefined],
    ['tools/call', { name: 'sum', arguments: {}, extra: 1 }, undefined],
    ['tools/call', {}, 'params.name must be present'],
    ['tools/call', { name: { a: 1 } }, 'params.name must be a string'],
    ['tools/call', { name: 'sum', arguments: 5 }, 'params.arguments must be an object'],
    ['tools/call', { name: 'sum', arguments: null }, 'params.arguments must be an object'],
    ['tools/call', { name: 'sum', arguments: [] }, 'params.arguments must be an object'],
    ['tools/list', {}, undefined],
    ['tools/list', { cursor: '' }, undefined],
    ['tools/list', { cursor: 7 }, 'params.cursor must be a string'],
    ['tools/list', { cursor: null }, 'params.cursor must be a string'],
    ['resources/read', {}, 'params.uri must be present'],
    ['prompts/get', { name: 'p', arguments: { a: '1' } }, undefined],
    ['prompts/get', { name: 'p', arguments: { a: 1 } }, 'params.arguments["a"] must be a string'],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }, undefined],
    ['completion/complete', { argument: { name: 'a', value: '' } }, 'params.ref must be present'],
    [
      'completion/complete',
      { ref: { type: 'ref/tool', name: 'p' }, argument: { name: 'a', value: '' } },
      'params.ref.type must be one of "ref/prompt", "ref/resource"',
    ],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'x://a' } }, 'params.argument must be present'],
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'a', value: '' },
        context: { arguments: { b: 1 } },
      },
      'params.context.arguments["b"] must be a string',
    ],
  ])('[TOOL-26] [PRM-10] [COMP-13] checks the params of %s: %j', (name, params, sentence) => {
    const misfit = methods[name].params(params);
    expect(misfit && describeMisfit('params', misfit)).toBe(sentence);
  });
});
