import { describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, type ManualClock, settle } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';
import {
  type Answer,
  discoveryTo,
  type Fetched,
  greetingTo,
  resultTo,
  scriptFetch,
  streamed,
} from '../http/scripted-fetch.ts';

const prior = { era: 'legacy', revision: '2025-11-25' } as const;
const silent = (): Promise<Answer> => new Promise(() => undefined);
const broken = (): Answer => {
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};

interface Reached {
  readonly clock: ManualClock;
  readonly opening: Promise<Client>;
  readonly methods: () => string[];
  readonly requests: readonly Fetched[];
}

function reach(reply: (request: Fetched) => Answer | Promise<Answer>, options: ConnectOptions = {}): Reached {
  const clock = createManualClock();
  const { fetch, methods, requests } = scriptFetch(reply);
  const opening = connect('http://depot.test/mcp', { name: 'depot', fetch, clock, prior, ...options });
  opening.then(closeAfterwards, () => undefined);
  return { clock, opening, methods, requests };
}

const modern =
  (initialize: (request: Fetched) => Answer | Promise<Answer>) =>
  (request: Fetched): Answer | Promise<Answer> =>
    discoveryTo(request) ?? initialize(request);

describe('a prior of a legacy server that has become modern', () => {
  it.each<[string, (request: Fetched) => Answer | Promise<Answer>]>([
    ['answers initialize with 500', () => ({ status: 500 })],
    ['breaks off at initialize', broken],
    ['ends the stream of initialize without an answer', () => streamed((stream) => stream.end())],
    ['does not know initialize', () => ({ status: 404 })],
  ])('is corrected where it %s', async (_how, initialize) => {
    const { opening } = reach(modern(initialize));
    expect((await opening).era).toBe('modern');
  });

  it('is corrected where it is silent at initialize for the probe time', async () => {
    const { clock, opening, methods } = reach(modern(silent), { probeTimeoutMs: 700 });
    await clock.advance(699);
    expect(methods()).toEqual(['initialize']);
    await clock.advance(1);
    expect((await opening).verdict).toEqual({ era: 'modern', revision: '2026-07-28' });
  });

  it('is corrected where the older transport names no endpoint any more', async () => {
    const { clock, opening } = reach(
      modern(() => streamed((stream) => stream.write(': hi\n\n'))),
      { prior: { era: 'legacy', revision: '2024-11-05', transport: 'sse' } },
    );
    await clock.advance(5000);
    expect((await opening).era).toBe('modern');
  });
});

describe('a prior of a legacy server that is still one', () => {
  it('holds where it is slow: what it answers first decides, and the other session is ended', async () => {
    const greeted = Promise.withResolvers<void>();
    const { clock, opening, methods, requests } = reach(async (request) => {
      if (request.message.method === 'server/discover') return silent();
      if (request.message.method === 'initialize') await greeted.promise;
      if (request.httpMethod === 'GET') return { status: 405 };
      return greetingTo(request) ?? resultTo(request, { tools: [] });
    });
    await clock.advance(6000);
    greeted.resolve();
    expect((await opening).era).toBe('legacy');
    await settle();
    expect(methods().filter((method) => method === 'initialize')).toHaveLength(1);
    const probe = requests.find(({ message }) => message.method === 'server/discover');
    expect(probe?.signal.aborted).toBe(true);
  });

  it.each([401, 403, 429, 502, 503])('is not looked into where it answers %i', async (status) => {
    // No start waits as long as that.
    const { opening, methods } = reach(() => ({ status, headers: { 'retry-after': '3600' } }));
    expect(await failure(opening)).toMatchObject({ status });
    expect(methods()).toEqual(['initialize']);
  });
});

describe('a server that offers only revisions with initialize', () => {
  const offering =
    (supported: readonly string[], isError: boolean) =>
    (request: Fetched): Answer => {
      if (request.httpMethod === 'GET') return { status: 405 };
      if (request.message.method !== 'server/discover') return greetingTo(request) ?? resultTo(request, { tools: [] });
      if (!isError) {
        return resultTo(request, { supportedVersions: supported, capabilities: {}, ttlMs: 0, cacheScope: 'private' });
      }
      const error = { code: -32022, message: 'no', data: { supported, requested: '2026-07-28' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: request.message.id, error });
      return { status: 400, headers: { 'content-type': 'application/json' }, body };
    };

  it.each<[readonly string[], boolean]>([
    [['2025-11-25'], true],
    [['2027-01-01', '2025-11-25'], true],
    [['2025-06-18'], false],
    [['2027-01-01', '2025-11-25'], false],
    [['2027-01-01'], true],
    [['2027-01-01'], false],
    [[], true],
  ])('[VER-10] is modern, and gets no initialize for %j (by an error: %s)', async (supported, isError) => {
    const { opening, methods } = reach(offering(supported, isError), { prior: undefined });
    expect((await failure(opening)).code).toBe('version');
    expect(methods()).not.toContain('initialize');
  });
});

it('a server that takes no POST is not waited for long to name an endpoint of the older transport', async () => {
  const { clock, opening } = reach(
    ({ httpMethod }) => (httpMethod === 'GET' ? streamed(() => undefined) : { status: 404 }),
    {
      prior: undefined,
    },
  );
  const failed = failure(opening);
  await clock.advance(2000);
  expect(await failed).toMatchObject({ code: 'http-status', status: 404 });
});
