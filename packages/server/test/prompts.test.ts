import { createServer, type PromptReturn, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';

const create = (): Server => createServer({ name: 'prompts', version: '1.0.0' }, { logger: silentLogger });
const user = (text: string): object => ({ role: 'user', content: { type: 'text', text } });

describe('a prompt', () => {
  it.each<[string, PromptReturn, object]>([
    ['text', 'hello', { description: 'Greets', messages: [user('hello')] }],
    [
      'messages',
      [{ role: 'assistant', content: { type: 'text', text: 'hi' } }],
      { description: 'Greets', messages: [{ role: 'assistant', content: { type: 'text', text: 'hi' } }] },
    ],
    ['no messages', [], { description: 'Greets', messages: [] }],
    ['a full result', { description: 'Mine', messages: [] }, { description: 'Mine', messages: [] }],
    ['a full result without a description', { messages: [] }, { description: 'Greets', messages: [] }],
  ])('[PRM-04] may return %s', async (_, returned, expected) => {
    const server = create().prompt('greet', { description: 'Greets' }, () => returned);
    const { result } = await openMemory(server).request('prompts/get', { name: 'greet' });
    const { _meta, ...rest } = result ?? {};
    expect(rest).toStrictEqual({ resultType: 'complete', ...expected });
  });

  it('gets its arguments, and may do without those that are not required', async () => {
    const server = create().prompt(
      'greet',
      { args: { who: 'A name', from: { required: false } } },
      ({ who, from }) => `${from ?? 'I'} greet ${who}`,
    );
    const get = async (args: object): Promise<unknown> =>
      (await openMemory(server).request('prompts/get', { name: 'greet', arguments: args })).result?.['messages'];
    expect(await get({ who: 'mira' })).toEqual([user('I greet mira')]);
    expect(await get({ who: '', from: 'we' })).toEqual([user('we greet ')]);
  });

  it.each<[string, object, RegExp]>([
    ['an unknown prompt', { name: 'absent' }, /Unknown prompt/],
    ['an inherited member as its name', { name: 'constructor' }, /Unknown prompt/],
    ['no name', {}, /name/],
    ['no arguments', { name: 'greet' }, /"who"/],
    ['a missing argument', { name: 'greet', arguments: {} }, /"who"/],
    ['an argument of another type', { name: 'greet', arguments: { who: 1 } }, /who/],
    ['an argument that is null', { name: 'greet', arguments: { who: null } }, /who/],
    ['an argument that it does not have', { name: 'greet', arguments: { who: 'x', tone: 'y' } }, /"tone".*who/],
    ['arguments that are a list', { name: 'greet', arguments: ['x'] }, /arguments/],
    [
      'a member called __proto__',
      JSON.parse('{"name":"greet","arguments":{"who":"x","__proto__":"y"}}') as object,
      /__proto__/,
    ],
  ])('[PRM-08] [PRM-10] answers -32602 to %s and says what is wrong', async (_, params, text) => {
    let runs = 0;
    const server = create().prompt('greet', { args: { who: 'A name' } }, () => String((runs += 1)));
    const { error } = await openMemory(server).request('prompts/get', params);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(text) });
    expect(runs).toBe(0);
  });

  it('keeps the error short, however long the name was', async () => {
    const server = create().prompt('greet', {}, () => 'x');
    for (const params of [
      { name: 'n'.repeat(100_000) },
      { name: 'greet', arguments: { ['a'.repeat(100_000)]: 'x' } },
    ]) {
      const { error } = await openMemory(server).request('prompts/get', params);
      expect(error?.message.length).toBeLessThan(400);
    }
  });

  it('[PRM-02] is listed as it was described', async () => {
    const server = create()
      .prompt(
        'greet',
        {
          title: 'Greet',
          description: 'Greets',
          args: { who: 'A name', from: { title: 'From', required: false, complete: () => [] } },
          icons: [{ src: 'https://example.com/i.png' }],
          meta: { 'com.example/a': 1 },
        },
        () => 'x',
      )
      .prompt('bare', {}, () => 'x');
    const { result } = await openMemory(server).request('prompts/list');
    expect(result?.['prompts']).toStrictEqual([
      { name: 'bare' },
      {
        name: 'greet',
        title: 'Greet',
        description: 'Greets',
        arguments: [
          { name: 'who', description: 'A name', required: true },
          { name: 'from', title: 'From', required: false },
        ],
        icons: [{ src: 'https://example.com/i.png' }],
        _meta: { 'com.example/a': 1 },
      },
    ]);
  });
});
