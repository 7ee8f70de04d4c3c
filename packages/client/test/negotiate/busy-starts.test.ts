import { describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions } from '../../src/index.ts';
import type { Target } from '../../src/target.ts';
import { failure } from '../expect-failure.ts';
import {
  type Answer,
  discoveryTo,
  eventOf,
  type Fetched,
  greetingTo,
  scriptFetch,
  streamed,
} from '../http/scripted-fetch.ts';
import { createManualClock, type ManualClock, settle } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';

const URL = 'http://depot.test/mcp';

interface Starting {
  readonly clock: ManualClock;
  readonly opening: Promise<Client>;
  /** How many requests of a method, or with an HTTP method where there is no message, were made. */
  count(method: string): number;
}

/** Starts with a server that is busy when it is asked for `method` the first time. */
function start(
  method: string,
  busy: Answer,
  serve: (request: Fetched) => Answer | undefined,
  { target = URL, ...options }: ConnectOptions & { readonly target?: Target } = {},
): Starting {
  const clock = createManualClock();
  let isFirst = true;
  const { fetch, methods } = scriptFetch((request) => {
    if ((request.message.method ?? request.httpMethod) !== method || !isFirst) return serve(request) ?? { status: 405 };
    isFirst = false;
    return busy;
  });
  const opening = connect(target, { name: 'depot', fetch, clock, random: () => 0, ...options });
  opening.then(closeAfterwards, () => undefined);
  return { clock, opening, count: (name) => methods().filter((each) => each === name).length };
}

/** A server of 2024-11-05, which answers on the stream of the GET. */
function olderServer(): (request: Fetched) => Answer | undefined {
  let say: (text: string) => void = () => undefined;
  return (request) => {
    if (request.httpMethod === 'GET') {
      return streamed((stream) => {
        say = (text) => stream.write(text);
        say('event: endpoint\ndata: /messages\n\n');
      });
    }
    const { body } = greetingTo(request) ?? {};
    if (typeof body === 'string') say(eventOf(JSON.parse(body) as object));
    return { status: 202 };
  };
}

const legacy = (request: Fetched): Answer | undefined => greetingTo(request);

describe.each<[string, string, () => (request: Fetched) => Answer | undefined, ConnectOptions & { target?: Target }]>([
  ['server/discover', 'server/discover', () => discoveryTo, {}],
  ['initialize', 'initialize', () => legacy, {}],
  [
    'initialize, which is asked first',
    'initialize',
    () => legacy,
    { prior: { era: 'legacy', revision: '2025-11-25' } },
  ],
  ['notifications/initialized', 'notifications/initialized', () => legacy, {}],
  ['the GET of HTTP+SSE', 'GET', olderServer, { target: { url: URL, transport: 'sse' } }],
])('a server that is busy at the start when it gets %s', (_what, method, serve, options) => {
  it.each([429, 503])('is asked again when Retry-After of %i says', async (status) => {
    const { clock, opening, count } = start(method, { status, headers: { 'retry-after': '4' } }, serve(), options);
    await clock.advance(3999);
    expect(count(method)).toBe(1);
    await clock.advance(1);
    await opening;
    expect(count(method)).toBe(2);
  });

  it('is asked again after a back-off where it does not say when', async () => {
    const { clock, opening, count } = start(method, { status: 503 }, serve(), options);
    await clock.advance(499);
    expect(count(method)).toBe(1);
    await clock.advance(1);
    await opening;
  });

  it.each(['15', '99999999999', 'Thu, 01 Jan 2099 00:00:00 GMT'])(
    'is not waited for where Retry-After is %s, which is named',
    async (wait) => {
      const { clock, opening, count } = start(
        method,
        { status: 503, headers: { 'retry-after': wait } },
        serve(),
        options,
      );
      const error = await failure(opening);
      expect(error).toMatchObject({ code: 'http-status', status: 503 });
      expect(error.message).toContain(`Retry-After: ${wait}`);
      expect([count(method), clock.now()]).toEqual([1, 0]);
    },
  );
});

it('a start that waits for a busy server ends at once when it is given up', async () => {
  const controller = new AbortController();
  const { opening } = start('server/discover', { status: 503, headers: { 'retry-after': '4' } }, discoveryTo, {
    signal: controller.signal,
  });
  await settle();
  controller.abort();
  expect((await failure(opening)).code).toBe('aborted');
});

it('a server that is busy is not asked for its era beside that, however long it asks to wait', async () => {
  const { clock, opening, count } = start(
    'initialize',
    { status: 503, headers: { 'retry-after': '9' } },
    (request) => greetingTo(request),
    { prior: { era: 'legacy', revision: '2025-11-25' }, probeTimeoutMs: 500 },
  );
  await clock.advance(8999);
  expect([count('initialize'), count('server/discover')]).toEqual([1, 0]);
  await clock.advance(1);
  expect((await opening).era).toBe('legacy');
});

describe('a server that is busy when it gets notifications/initialized', () => {
  it('gets that alone again, so that no session is left behind', async () => {
    const busy = { status: 503, headers: { 'retry-after': '4' } };
    const { clock, opening, count } = start('notifications/initialized', busy, legacy);
    await clock.advance(4000);
    await opening;
    expect([count('initialize'), count('notifications/initialized')]).toEqual([1, 2]);
  });

  it('for ever fails the start after three more', async () => {
    const busy = { status: 503, headers: { 'retry-after': '1' } };
    const { clock, opening, count } = start('nothing', busy, (request) =>
      request.message.method === 'notifications/initialized' ? busy : greetingTo(request),
    );
    const failed = failure(opening);
    await clock.advance(10_000);
    expect(await failed).toMatchObject({ code: 'http-status', status: 503 });
    expect([count('initialize'), count('notifications/initialized')]).toEqual([1, 4]);
  });
});

it('503 is that status, whatever JSON-RPC error stands in its body', async () => {
  const error = { code: -32603, message: 'too busy' };
  const busy: Answer = {
    status: 503,
    headers: { 'retry-after': '2', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, error }),
  };
  const { clock, opening } = start('server/discover', busy, discoveryTo);
  await clock.advance(2000);
  const client = await opening;
  expect(client.era).toBe('modern');
});
