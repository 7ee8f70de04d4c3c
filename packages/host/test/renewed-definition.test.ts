import { createScriptedServer, type ScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.ts';
import { open } from './open-for-test.ts';
import { auditTrail } from './open-test-host.ts';

const taking = (name: string) =>
  toolDefinition('t', {
    inputSchema: { type: 'object', properties: { [name]: {} }, required: [name], additionalProperties: false },
  });
const giving = (name: string) =>
  toolDefinition('t', { outputSchema: { type: 'object', required: [name], additionalProperties: { type: 'string' } } });

async function openListed(server: ScriptedServer) {
  const clock = createManualClock();
  const host = await open({ server }, {}, clock);
  const agent = host.as('reader');
  await agent.tools();
  return { clock, host, agent, lists: () => server.paramsOf('tools/list').length };
}

describe('a call by a name that is known', () => {
  it('is held against the definition that its server has now, although nobody lists', async () => {
    const server = createScriptedServer({ tools: [taking('before')] });
    const { clock, host, agent } = await openListed(server);
    server.script.tools = [taking('now')];
    await clock.advance(1000);
    expect(await agent.call('server__t', { now: 1 })).toMatchObject({ content: [{ text: 'called t' }] });
    expect(await agent.call('server__t', { before: 1 })).toMatchObject({ isError: true });
    expect(server.paramsOf('tools/call')).toMatchObject([{ arguments: { now: 1 } }]);
    const [intent, outcome] = await host.audit.list();
    expect(intent?.definitionDigest).toBe(outcome?.definitionDigest);
    expect(await auditTrail(host)).toEqual([
      'intent server t',
      'outcome server t',
      'refused invalid-arguments server t',
    ]);
  });

  it('is held against a prompt’s definition of now as well', async () => {
    const prompt = (name: string) => ({ name: 'p', arguments: [{ name, required: true }] });
    const server = createScriptedServer({ prompts: [prompt('before')] });
    const { clock, agent } = await openListed(server);
    server.script.prompts = [prompt('now')];
    await clock.advance(1000);
    expect(await agent.prompt('server__p', { now: 'x' })).toMatchObject({ messages: [{}] });
  });

  it('loses one result at most to an output schema that its server no longer has', async () => {
    const server = createScriptedServer({
      tools: [giving('before')],
      ttlMs: 60_000,
      answer: (method) =>
        method === 'tools/call' ? { resultType: 'complete', content: [], structuredContent: { now: 'x' } } : undefined,
    });
    const { clock, agent } = await openListed(server);
    server.script.tools = [giving('now')];
    await clock.advance(1000);
    expect(await agent.call('server__t')).toMatchObject({ isError: true });
    await clock.advance(1);
    expect(await agent.call('server__t')).toMatchObject({ structuredContent: { now: 'x' } });
  });

  it('asks for no list where its arguments are right, nor more than one a second where they are wrong', async () => {
    const server = createScriptedServer({ tools: [taking('a')] });
    const { clock, agent, lists } = await openListed(server);
    await clock.advance(1000);
    const before = lists();
    for (let round = 0; round < 5; round += 1) await agent.call('server__t', { a: 1 });
    expect(lists()).toBe(before);
    for (let round = 0; round < 5; round += 1) await agent.call('server__t', { b: 1 });
    expect(lists()).toBe(before + 1);
  });

  it('asks for no list that is fresh, whatever its arguments', async () => {
    const server = createScriptedServer({ tools: [taking('a')], ttlMs: 60_000 });
    const { clock, agent, lists } = await openListed(server);
    await clock.advance(10_000);
    await agent.call('server__t', { b: 1 });
    expect(lists()).toBe(1);
  });

  it('waits a second at most for a list that does not come, and the caller may give it up', async () => {
    const server = createScriptedServer({ tools: [taking('a')] });
    const { clock, agent } = await openListed(server);
    server.script.answer = (method) => (method === 'tools/list' ? new Promise(() => undefined) : undefined);
    await clock.advance(1000);
    const wrong = { method: 'tools/call', params: { name: 'server__t', arguments: { b: 1 } } } as const;
    const controller = new AbortController();
    const [waiting, givenUp] = [agent.invoke(wrong), agent.invoke(wrong, { signal: controller.signal })];
    controller.abort();
    expect(await givenUp).toMatchObject({ verdict: { reason: 'invalid-arguments' } });
    await clock.advance(1000);
    expect(await waiting).toMatchObject({ verdict: { reason: 'invalid-arguments' } });
  });
});
