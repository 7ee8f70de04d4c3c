import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { type ClientErrorCode, type ClientWarning, connect, type ConnectOptions } from '../../src/index.ts';
import { createScriptedPeer, discovery, type ScriptedPeer, type Written } from '../scripted-peer.ts';
import { expectAccepted, growthDuring, impatient, expectRefused } from './outcome.ts';
import { closeAfterwards } from './raw-server.ts';

const right = { resultType: 'complete', content: [{ type: 'text', text: 'right' }] };
const extensions = { 'io.modelcontextprotocol/tasks': {} };
/** Who answers questions: a form with `x`, and no model and no roots. */
const input = { elicitForm: () => Promise.resolve({ action: 'accept' as const, content: { name: 'x' } }) };
const form = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};
const asks = (inputRequests: unknown, requestState?: unknown): JsonObject => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});

/** A client of a server that answers `reply(message)`, where that is something, to whatever it is asked. */
async function reach(reply: (message: Written) => JsonObject | undefined, options: ConnectOptions = {}) {
  const warnings: ClientWarning[] = [];
  const peer: ScriptedPeer = createScriptedPeer((message) => {
    const { id, method } = message;
    if (id === undefined) return true;
    const result =
      method === 'server/discover'
        ? { ...discovery, capabilities: { tools: { listChanged: true }, extensions } }
        : reply(message);
    // A little later, as a server elsewhere does: an answer on the spot lets no timer run.
    if (result !== undefined) setImmediate(() => peer.answer(id, result));
    return true;
  });
  const connecting = connect(peer.transport, {
    ...impatient,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  return { client: closeAfterwards(await connecting), peer, warnings };
}

describe('a server that asks for input', () => {
  const rounds: readonly ClientErrorCode[] = ['too-many-rounds', 'timeout'];
  const broken: readonly ClientErrorCode[] = ['invalid-response'];
  const uncalled: readonly ClientErrorCode[] = ['unexpected-input-required', 'input-refused', 'invalid-response'];
  let count = 0;

  it.each<[string, (message: Written) => JsonObject, readonly ClientErrorCode[]]>([
    ['the same again and again', () => asks({ a: form }), rounds],
    ['something else each time', () => asks({ [`a${(count += 1)}`]: form }, String(count)), rounds],
    ['for nothing but patience', () => ({ resultType: 'input_required', requestState: 'x' }), rounds],
    ['for nothing at all', () => ({ resultType: 'input_required' }), broken],
    ['for nothing under a name', () => asks({}), broken],
    ['in a list', () => asks([form]), broken],
    ['with a state that is no text', () => asks({ a: form }, { x: 1 }), broken],
    ['for something that there is none of', () => asks({ a: { method: 'wallet/open', params: {} } }), uncalled],
    [
      'for a model that was not declared',
      () => asks({ a: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } }),
      uncalled,
    ],
    ['for roots that were not declared', () => asks({ a: { method: 'roots/list' } }), uncalled],
    [
      'for a page that was not declared',
      () =>
        asks({
          a: {
            method: 'elicitation/create',
            params: { mode: 'url', message: 'x', url: 'https://a.test', elicitationId: '1' },
          },
        }),
      uncalled,
    ],
    [
      'with a form of another shape',
      () => asks({ a: { ...form, params: { ...form.params, requestedSchema: 'x' } } }),
      uncalled,
    ],
    ['with a form without a message', () => asks({ a: { method: 'elicitation/create', params: {} } }), uncalled],
  ])('%s ends the call in time, by name', async (_name, reply, codes) => {
    const { client, peer } = await reach(reply, { input });
    await expectRefused(client.callTool('t'), codes[0] ?? 'timeout', ...codes);
    expect(peer.written.length).toBeLessThan(40);
  });

  it('with a state of 9 MB sends it back once, and memory does not grow', async () => {
    const requestState = 's'.repeat(9_000_000);
    let isAsked = false;
    const { client, peer } = await reach(
      () => {
        if (isAsked) return right;
        isAsked = true;
        return asks({ a: form }, requestState);
      },
      { input, timeoutMs: 2_000, maxTimeoutMs: 2_400 },
    );
    expect(await expectAccepted(client.callTool('t'))).toMatchObject(right);
    expect(peer.written.at(-1)?.params?.['requestState']).toHaveLength(requestState.length);
  });

  it('a thousand things at once asks nobody a thousand times at once', async () => {
    let running = 0;
    let most = 0;
    const elicitForm = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      running -= 1;
      return { action: 'decline' as const };
    };
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`a${at}`, form]));
    let isAsked = false;
    const reply = (): JsonObject => {
      if (isAsked) return right;
      isAsked = true;
      return asks(many);
    };
    const { client } = await reach(reply, { input: { elicitForm }, timeoutMs: 2_000, maxTimeoutMs: 2_400 });
    await client.callTool('t').catch((error: unknown) => expect(String(error)).toContain('"depot"'));
    expect(most).toBeLessThanOrEqual(8);
  });

  it('in a list, which may not ask, breaks the protocol', async () => {
    const { client } = await reach(() => asks({ a: form }), { input });
    await expectRefused(client.listTools(), 'invalid-response');
  });

  it('of nobody who answers says so', async () => {
    const { client } = await reach(() => asks({ a: form }));
    await expectRefused(client.callTool('t'), 'unexpected-input-required', 'input-refused');
  });
});

describe('a server that makes tasks', () => {
  const at = '2026-07-28T12:00:00Z';
  const created = (more: JsonObject = {}): JsonObject => ({
    resultType: 'task',
    taskId: 'k1',
    status: 'working',
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs: 60_000,
    pollIntervalMs: 0,
    ...more,
  });
  const seen = (more: JsonObject = {}): JsonObject => ({ ...created(more), resultType: 'complete' });
  const tasks = { minPollMs: 20 };
  let count = 0;

  it.each<[string, (looks: number) => JsonObject | undefined, readonly ClientErrorCode[]]>([
    ['that never end', () => seen(), ['timeout']],
    ['that are never told of', () => undefined, ['timeout']],
    ['that change their id', () => seen({ taskId: `k${(count += 1)}` }), ['invalid-response', 'timeout']],
    ['of a status that there is none of', () => seen({ status: 'sleeping' }), ['invalid-response']],
    ['that end without a result', () => seen({ status: 'completed' }), ['invalid-response']],
    [
      'that end with a result that is none',
      () => seen({ status: 'completed', result: { content: 'x' } }),
      ['invalid-response'],
    ],
    ['that fail without an error', () => seen({ status: 'failed' }), ['invalid-response']],
    [
      'that ask for input again and again',
      () => seen({ status: 'input_required', inputRequests: { a: form } }),
      ['timeout'],
    ],
    [
      'that ask for something else each time',
      () => seen({ status: 'input_required', inputRequests: { [`a${(count += 1)}`]: form } }),
      ['timeout', 'too-many-rounds'],
    ],
    [
      'that want to be polled in a thousand years',
      () => seen({ pollIntervalMs: 1e15 }),
      ['timeout', 'invalid-response'],
    ],
  ])('%s fails the call in time, by name', async (_name, look, codes) => {
    let looks = 0;
    const { client, peer } = await reach(
      ({ method }) => {
        if (method === 'tools/call') return created();
        if (method !== 'tasks/get') return { resultType: 'complete' };
        looks += 1;
        return look(looks);
      },
      { tasks, input },
    );
    await expectRefused(client.callTool('t'), codes[0] ?? 'timeout', ...codes);
    expect(peer.written.length).toBeLessThan(60);
  });

  it.each<[string, JsonObject]>([
    ['without an id', created({ taskId: undefined })],
    ['with an empty id', created({ taskId: '' })],
    ['with an id that is a number', created({ taskId: 7 })],
    ['without a status', created({ status: undefined })],
  ])('%s has its answer refused', async (_name, answer) => {
    const { client } = await reach(() => answer, { tasks });
    await expectRefused(client.callTool('t'), 'invalid-response');
  });

  it('for a client that takes none has its answer refused', async () => {
    const { client } = await reach(() => created());
    await expectRefused(client.callTool('t'), 'invalid-response');
  });
});

describe('a server that is subscribed to', () => {
  const acknowledged = (filter: unknown): JsonObject => ({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: filter },
  });
  const filter = { toolsListChanged: true } as const;

  it.each<[string, JsonObject | undefined, readonly ClientErrorCode[]]>([
    ['does not acknowledge', undefined, ['timeout']],
    ['answers at once without an acknowledgement', { resultType: 'complete' }, ['invalid-response', 'timeout']],
  ])('and %s fails the subscription in time, by name', async (_name, answer, codes) => {
    const { client } = await reach(({ method }) => (method === 'subscriptions/listen' ? answer : right), {
      timeoutMs: 150,
    });
    await expectRefused(client.subscribe(filter), codes[0] ?? 'timeout', ...codes);
  });

  it('and acknowledges more than was asked agrees to no more than that, and its flood is bounded', async () => {
    const { client, peer } = await reach(() => undefined, { timeoutMs: 2_000, maxNotificationsPerSecond: 50 });
    const told: unknown[] = [];
    const subscribing = client.subscribe(filter, { onNotification: (notification) => told.push(notification) });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const listen = peer.written.find(({ method }) => method === 'subscriptions/listen');
    const _meta = { 'io.modelcontextprotocol/subscriptionId': listen?.id };
    const tell = (message: JsonObject): void =>
      peer.send({ ...message, params: { ...(message['params'] as JsonObject | undefined), _meta } });
    tell(acknowledged({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['x://secret'] }));
    const subscription = await expectAccepted(subscribing);
    expect(subscription.acknowledged).toEqual(filter);
    const growth = await growthDuring(async () => {
      for (let at = 0; at < 20_000; at += 1) tell({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    });
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(100);
    expect(growth).toBeLessThan(64 * 1024 * 1024);
    await expectAccepted(subscription.close());
  });
});
