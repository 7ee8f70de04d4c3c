import { expect, it } from 'vitest';
import { connect } from '../../src/node/index.ts';
import { fixture } from '../fixture-command.ts';

it('[SUB-14] [STDIO-17] listens again after a restart of the process, and tells of the list that is another one now', async () => {
  const told: string[] = [];
  await using client = await connect(fixture('listening-server'), { random: () => 1 });
  const subscription = await client.subscribe({ toolsListChanged: true }, { onListChanged: (list) => told.push(list) });
  const before = await client.listTools();
  await client.listPrompts();
  await expect.poll(() => told).toEqual(['tools']);

  await client.callTool('end').catch(() => undefined);
  await expect.poll(() => subscription.state, { timeout: 10_000 }).toBe('returning');
  await expect.poll(() => subscription.state, { timeout: 10_000 }).toBe('open');
  await expect.poll(() => told, { timeout: 10_000 }).toEqual(['tools', 'tools']);
  expect((await client.listTools()).tools).not.toEqual(before.tools);
});
