import { createServer, silentLogger } from '@switchyard/server';
import { expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';
import { requestOf } from './wire.ts';

// One of the two begins each pair of surrogates at an even place, the other at an odd one.
const names = ['😀'.repeat(500), `x${'😀'.repeat(500)}`];
const completionOf = (ref: object, name: string): object =>
  requestOf('completion/complete', { ref, argument: { name, value: '' } });

it.each<[string, (name: string) => object]>([
  ['an unknown method', (name) => requestOf(name)],
  ['an unknown tool', (name) => requestOf('tools/call', { name })],
  ['an unknown prompt', (name) => requestOf('prompts/get', { name })],
  ['an unknown argument', (name) => requestOf('prompts/get', { name: 'greet', arguments: { [name]: '' } })],
  ['an unknown prompt to complete', (name) => completionOf({ type: 'ref/prompt', name }, 'a')],
  ['an unknown argument to complete', (name) => completionOf({ type: 'ref/prompt', name: 'greet' }, name)],
  ['an unknown variable to complete', (name) => completionOf({ type: 'ref/resource', uri: 'mem://{a}' }, name)],
])('shows the beginning of the name of %s, whole characters and an ellipsis', async (_, requestFor) => {
  const server = createServer({ name: 'names', version: '1.0.0' }, { logger: silentLogger })
    .tool('ping', {}, () => 'pong')
    .prompt('greet', {}, () => 'x')
    .resourceTemplate('mem://{a}', { name: 'a', complete: { a: () => [] } }, () => 'x');
  for (const name of names) {
    const response = await openMemory(server).send(requestFor(name));
    const message = response?.error?.message ?? '';
    expect(message).toContain('😀…');
    expect(message.length).toBeLessThan(200);
    expect(message.isWellFormed()).toBe(true);
  }
});
