import { createServer, type RequestContext, silentLogger } from '@switchyard/server';
import { describe, expect, expectTypeOf, it } from 'vitest';

import { send } from '../input/input-route.ts';

/** What an author's handler may use, and nothing besides. */
const offered = [
  'ask',
  'capabilities',
  'client',
  'elicit',
  'exchangeToken',
  'log',
  'meta',
  'onRoundEnd',
  'once',
  'principal',
  'progress',
  'requestId',
  'resumed',
  'roots',
  'sample',
  'signal',
  'step',
  'task',
] as const satisfies readonly (keyof RequestContext)[];

/** Every key that leads to something of an object, symbols and those of its prototypes included. */
function keysOf(object: object): ReadonlySet<string | symbol> {
  const keys = new Set<string | symbol>();
  for (let at: object | null = object; at !== null && at !== Object.prototype; at = Reflect.getPrototypeOf(at))
    for (const key of Reflect.ownKeys(at)) keys.add(key);
  keys.delete('constructor');
  return keys;
}

describe('the context of a handler', () => {
  it('has the members of its type and no other, so that a handler cannot end, detach or bind its own request', async () => {
    expectTypeOf<keyof RequestContext>().toEqualTypeOf<(typeof offered)[number]>();
    const contexts: RequestContext[] = [];
    const server = createServer({ name: 'context', version: '1.0.0' }, { logger: silentLogger }).tool(
      'look',
      {},
      (_, context) => {
        contexts.push(context);
        return 'seen';
      },
    );
    expect((await send(server, 'look')).result).toMatchObject({ content: [{ text: 'seen' }] });
    const [context] = contexts as [RequestContext];
    expect(keysOf(context)).toEqual(new Set(offered));
    expect(new Set(Reflect.ownKeys(context.constructor))).toEqual(new Set(['length', 'name', 'prototype']));
  });
});
