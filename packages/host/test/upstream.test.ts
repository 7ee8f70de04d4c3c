import { type Client, ClientError } from '@switchyard/client';
import { connect } from '@switchyard/client/node';
import type { Notification } from '@switchyard/protocol';
import { createScriptedServer } from '@switchyard/testing';
import { describe, expect, it, vi } from 'vitest';
import type { ServerCatalog } from '../src/catalog/server-catalog.ts';
import { createUpstream, type UpstreamOptions } from '../src/upstream/upstream.ts';
import { createManualClock, rest } from './manual-clock.ts';

const empty: ServerCatalog = { tools: [], prompts: [], resources: [], templates: [], leftOut: [], freshMs: Infinity };
const signal = new AbortController().signal;

async function upstreamOf(overrides: Partial<UpstreamOptions> = {}) {
  const client: Client = await connect(createScriptedServer({}));
  let notify: (notification: Notification) => void = () => undefined;
  const open = vi.fn<UpstreamOptions['open']>(async ({ onNotification }) => {
    notify = onNotification;
    return client;
  });
  const load = vi.fn<UpstreamOptions['load']>(async () => empty);
  const clock = createManualClock();
  const warn = vi.fn<(fields: object, message: string) => void>();
  const logger = { info: () => undefined, warn, error: () => undefined };
  const upstream = createUpstream({
    name: 'orders',
    timeoutMs: 1000,
    startTimeoutMs: 1000,
    logger,
    surroundings: clock,
    open,
    load,
    ...overrides,
  });
  return { upstream, client, open, load, clock, warn, notify: (method: string) => notify({ jsonrpc: '2.0', method }) };
}

describe('an upstream', () => {
  it('reaches nothing before it is asked to, and once for all who ask at the same time', async () => {
    const { upstream, open } = await upstreamOf();
    expect(open).not.toHaveBeenCalled();
    expect(upstream.status()).toEqual({ name: 'orders', state: 'starting' });
    await Promise.all([upstream.client(signal), upstream.client(signal), upstream.refresh()]);
    expect(open).toHaveBeenCalledTimes(1);
    expect(upstream.status()).toMatchObject({ state: 'ready', tools: 0 });
    await upstream.close();
  });

  it.each([
    'notifications/tools/list_changed',
    'notifications/resources/list_changed',
    'notifications/prompts/list_changed',
  ])('[CACHE-18] reads its catalog again after %s, also when that comes while it is read', async (method) => {
    const gates = [Promise.withResolvers<ServerCatalog>(), Promise.withResolvers<ServerCatalog>()];
    let reads = 0;
    const load = () => gates[reads++]?.promise ?? Promise.resolve(empty);
    const { upstream, notify } = await upstreamOf({ load });
    const first = upstream.refresh();
    await rest();
    notify(method);
    gates[0]?.resolve(empty);
    await first;
    gates[1]?.resolve(empty);
    await upstream.refresh();
    expect(reads).toBe(2);
    await upstream.refresh();
    expect(reads).toBe(2);
    notify(method);
    await upstream.refresh();
    expect(reads).toBe(3);
    notify('notifications/message');
    await upstream.refresh();
    expect(reads).toBe(3);
    await upstream.close();
  });

  it('lets everybody who asks while it is read wait until it is there', async () => {
    const gate = Promise.withResolvers<ServerCatalog>();
    const { upstream } = await upstreamOf({ load: () => gate.promise });
    const first = upstream.refresh();
    await rest();
    let isDone = false;
    const second = upstream.refresh({ minAgeMs: 1000 }).then(() => {
      isDone = true;
    });
    await rest();
    expect(isDone).toBe(false);
    gate.resolve(empty);
    await Promise.all([first, second]);
    expect(upstream.catalog).toBe(empty);
    await upstream.close();
  });

  it('reports one failure once, and hands it to callers without another attempt until the next is due', async () => {
    const open = vi.fn<UpstreamOptions['open']>(async () => {
      throw new Error('no such program');
    });
    const { upstream, clock, warn } = await upstreamOf({ open });
    await upstream.refresh();
    expect(warn).toHaveBeenCalledTimes(1);
    for (let use = 0; use < 3; use += 1) {
      await expect(upstream.client(signal)).rejects.toThrow(/"orders".*no such program/);
      await upstream.refresh();
    }
    expect(open).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
    await clock.advance(1000);
    await expect(upstream.client(signal)).rejects.toThrow(/no such program/);
    expect(open).toHaveBeenCalledTimes(2);
    await upstream.close();
  });

  it('says why a server is away without the credentials that the reason holds', async () => {
    const open = async () => {
      throw new Error('cannot read https://mira:hunter2@host/x with token=ghp_0123456789abcdefghijklmnopqrstuvwxyz');
    };
    const { upstream } = await upstreamOf({ open });
    await upstream.refresh();
    expect(upstream.unavailability?.message).toMatch(/"orders".*cannot read https:.*@host/);
    expect(upstream.unavailability?.message).not.toMatch(/hunter2|ghp_/);
    await upstream.close();
  });

  it('waits one second at most for one that was away, and takes what it gives when it comes', async () => {
    const attempts: { resolve(client: Client): void; reject(error: Error): void }[] = [];
    const open = () => {
      const { promise, resolve, reject } = Promise.withResolvers<Client>();
      attempts.push({ resolve, reject });
      return promise;
    };
    const { upstream, clock, client } = await upstreamOf({ open, startTimeoutMs: 30_000 });
    const first = upstream.refresh();
    await rest();
    attempts[0]?.reject(new Error('down'));
    await first;
    await clock.advance(1000);
    const second = upstream.refresh();
    await clock.advance(1000);
    await second;
    expect(upstream.unavailability?.message).toContain('down');
    attempts[1]?.resolve(client);
    await rest();
    expect(upstream.unavailability).toBeUndefined();
    expect(upstream.catalog).toBe(empty);
    await upstream.close();
  });

  it('gives up a list at the start timeout, keeps the catalog it had and the connection', async () => {
    let hangs = false;
    const load = () =>
      hangs ? new Promise<ServerCatalog>(() => undefined) : Promise.resolve({ ...empty, freshMs: 0 });
    const { upstream, clock, client } = await upstreamOf({ load });
    await upstream.refresh();
    hangs = true;
    const listing = upstream.refresh();
    await clock.advance(1000);
    await listing;
    expect(upstream.unavailability?.message).toMatch(/"orders".*within 1000 ms/);
    expect(upstream.catalog).toBeDefined();
    expect(await upstream.client(signal)).toBe(client);
    await upstream.close();
  });

  it('has a lost server read again, says so once, and says once that it is back: on its next answer', async () => {
    let watch: Parameters<UpstreamOptions['open']>[0]['watch'] | undefined;
    const client = await connect(createScriptedServer({}));
    const open: UpstreamOptions['open'] = async (given) => {
      ({ watch } = given);
      watch.onReply();
      return client;
    };
    const load = vi.fn<UpstreamOptions['load']>(async () => empty);
    const { upstream, warn } = await upstreamOf({ open, load });
    await upstream.refresh();
    const error = new ClientError('closed', 'orders', 'its process was ended by SIGKILL.');
    watch?.onEnd(error);
    expect(warn.mock.calls).toEqual([[{ server: 'orders', err: error }, 'a server was lost']]);
    watch?.onReply();
    watch?.onReply();
    expect(warn.mock.calls.slice(1)).toEqual([[{ server: 'orders' }, 'a server is available again']]);
    await upstream.refresh();
    expect(load).toHaveBeenCalledTimes(2);
    await upstream.close();
    watch?.onEnd(error);
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('that is lost and cannot be reached again is not called back before its lists can be had', async () => {
    let watch: Parameters<UpstreamOptions['open']>[0]['watch'] | undefined;
    const client = await connect(createScriptedServer({}));
    const open: UpstreamOptions['open'] = async (given) => {
      ({ watch } = given);
      return client;
    };
    const error = new ClientError('closed', 'orders', 'its process ended with exit code 1.');
    const load = vi
      .fn<UpstreamOptions['load']>()
      .mockResolvedValueOnce(empty)
      .mockRejectedValueOnce(error)
      .mockResolvedValue(empty);
    const { upstream, warn, clock } = await upstreamOf({ open, load });
    await upstream.refresh();
    watch?.onEnd(error);
    await upstream.refresh();
    watch?.onReply();
    expect(warn.mock.calls.map(([, message]) => message)).toEqual(['a server was lost']);
    await clock.advance(1000);
    await upstream.refresh();
    expect(warn.mock.calls.slice(1).map(([, message]) => message)).toEqual(['a server is available again']);
    await upstream.close();
  });

  it('that fails at each start is called lost once for as long as it says the same', async () => {
    let watch: Parameters<UpstreamOptions['open']>[0]['watch'] | undefined;
    const client = await connect(createScriptedServer({}));
    const open: UpstreamOptions['open'] = async (given) => {
      ({ watch } = given);
      return client;
    };
    const { upstream, warn } = await upstreamOf({ open });
    await upstream.refresh();
    const killed = new ClientError('closed', 'orders', 'its process was ended by SIGKILL.');
    const failing = (stderr: string) =>
      new ClientError('start-failed', 'orders', 'its process ended with exit code 4.', { stderr });
    const errors = [killed, failing('at 10:00'), failing('at 10:01'), failing('at 10:02')];
    for (const error of errors) watch?.onEnd(error);
    expect(warn.mock.calls.map(([fields]) => fields)).toEqual(
      errors.slice(0, 2).map((err) => ({ server: 'orders', err })),
    );
    await upstream.close();
  });

  it('knows the tool calls that were handed over by their arguments, and no others', async () => {
    let watch: Parameters<UpstreamOptions['open']>[0]['watch'] | undefined;
    const client = await connect(createScriptedServer({}));
    const { upstream } = await upstreamOf({
      open: async (given) => {
        ({ watch } = given);
        return client;
      },
    });
    await upstream.refresh();
    const args = Object.freeze({});
    expect(upstream.wasSent(args)).toBe(false);
    watch?.onRequest({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: args } });
    expect([upstream.wasSent(args), upstream.wasSent(Object.freeze({}))]).toEqual([true, false]);
    await upstream.close();
  });

  it('ends what is under way when it is closed, and the client that comes too late', async () => {
    const late = Promise.withResolvers<Client>();
    const { upstream, client } = await upstreamOf({ open: () => late.promise });
    const close = vi.spyOn(client, 'close');
    const waiting = upstream.client(signal);
    const listing = upstream.refresh();
    await rest();
    const closing = upstream.close();
    late.resolve(client);
    await Promise.all([closing, listing]);
    await expect(waiting).rejects.toThrow(/closed/);
    expect(close).toHaveBeenCalled();
    await expect(upstream.client(signal)).rejects.toThrow(/closed/);
    await upstream.refresh();
    expect(upstream.catalog).toBeUndefined();
  });

  it('lets a caller stop waiting without ending what others wait for', async () => {
    const gate = Promise.withResolvers<Client>();
    const { upstream, client } = await upstreamOf({ open: () => gate.promise });
    const controller = new AbortController();
    const impatient = upstream.client(controller.signal);
    const patient = upstream.client(signal);
    controller.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    gate.resolve(client);
    expect(await patient).toBe(client);
    await upstream.close();
  });
});
