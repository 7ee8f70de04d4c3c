import type { Notification } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { type Client, type ClientWarning, connect } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, type ManualClock, settle } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';
import {
  type Answer,
  eventOf,
  type Fetched,
  greetingTo,
  saying,
  scriptFetch,
  type ScriptedStream,
  streamed,
} from './scripted-fetch.ts';

interface Reached {
  readonly client: Client;
  readonly clock: ManualClock;
  readonly notifications: Notification[];
  readonly warnings: ClientWarning[];
  /** The GETs for the rest of an answer, and those for what the server sends by itself. */
  gets(): readonly Fetched[];
}

/** A legacy server. `onCall` answers tool calls, `onGet` the GETs. */
async function reach({
  onCall = () => ({ status: 500 }),
  onGet = () => ({ status: 405 }),
}: {
  readonly onCall?: (request: Fetched) => Answer;
  readonly onGet?: (request: Fetched, count: number) => Answer | Error;
}): Promise<Reached> {
  const clock = createManualClock();
  const notifications: Notification[] = [];
  const warnings: ClientWarning[] = [];
  let count = 0;
  const { fetch, requests } = scriptFetch((request) => {
    if (request.httpMethod === 'GET') {
      count += 1;
      const answer = onGet(request, count);
      if (answer instanceof Error) throw answer;
      return answer;
    }
    return greetingTo(request) ?? onCall(request);
  });
  const client = closeAfterwards(
    await connect('http://depot.test/mcp', {
      name: 'depot',
      fetch,
      clock,
      random: () => 1,
      onNotification: (notification) => notifications.push(notification),
      onWarning: (warning) => warnings.push(warning),
    }),
  );
  await settle();
  return { client, clock, notifications, warnings, gets: () => requests.filter((it) => it.httpMethod === 'GET') };
}

const answerTo = (id: unknown): object => ({ jsonrpc: '2.0', id, result: saying('done') });
const isRest = ({ headers }: Fetched): boolean => headers['last-event-id'] !== undefined;

describe('the answer of a legacy server that breaks off after an event with an id', () => {
  it.each<[string, (stream: ScriptedStream) => void]>([
    ['ends', (stream) => stream.end()],
    ['breaks', (stream) => stream.break()],
  ])(
    '[LEGC-10] [LEGC-11] is asked for from there, after the time that the server names, when its stream %s',
    async (_how, over) => {
      let id: unknown;
      const { client, clock, gets } = await reach({
        onCall({ message }) {
          ({ id } = message);
          return streamed((stream) => {
            stream.write('id: e-1\nretry: 500\ndata: \n\n');
            over(stream);
          });
        },
        onGet: (request) =>
          isRest(request) ? streamed((stream) => stream.write(eventOf(answerTo(id)))) : { status: 405 },
      });
      const call = client.callTool('x');
      await clock.advance(499);
      expect(gets().filter(isRest)).toEqual([]);
      await clock.advance(1);
      expect(await call).toMatchObject({ content: [{ text: 'done' }] });
      const rest = gets().find(isRest);
      expect(rest?.headers).toMatchObject({
        'last-event-id': 'e-1',
        accept: 'text/event-stream',
        'mcp-session-id': 's-1',
        'mcp-protocol-version': '2025-11-25',
      });
    },
  );

  it('is asked for again and again, each time from the last event that came', async () => {
    let id: unknown;
    const { client, clock, gets } = await reach({
      onCall({ message }) {
        ({ id } = message);
        return streamed((stream) => {
          stream.write('id: 1\nretry: 100\ndata: \n\n');
          stream.end();
        });
      },
      onGet(request) {
        const last = Number(request.headers['last-event-id']);
        if (Number.isNaN(last)) return { status: 405 };
        return streamed((stream) => {
          stream.write(last === 20 ? eventOf(answerTo(id)) : `id: ${last + 1}\ndata: \n\n`);
          stream.end();
        });
      },
    });
    const call = client.callTool('x');
    await clock.advance(20 * 100);
    expect(await call).toMatchObject({ content: [{ text: 'done' }] });
    expect(gets().filter(isRest)).toHaveLength(20);
  });

  it('is lost after five attempts that bring nothing, however short the server says the wait is', async () => {
    const { client, clock, gets } = await reach({
      onCall: () =>
        streamed((stream) => {
          stream.write('id: 1\nretry: 0\ndata: \n\n');
          stream.end();
        }),
      onGet: (request) => (isRest(request) ? streamed((stream) => stream.end()) : { status: 405 }),
    });
    const call = failure(client.callTool('x', {}, { timeoutMs: 600_000 }));
    await clock.advance(200_000);
    expect((await call).code).toBe('outcome-unknown');
    expect(gets().filter(isRest)).toHaveLength(5);
  });

  it.each([404, 405, 400])('is lost where the rest of it is refused with %i', async (status) => {
    const { client, clock, gets } = await reach({
      onCall: () =>
        streamed((stream) => {
          stream.write('id: 1\ndata: \n\n');
          stream.end();
        }),
      onGet: () => ({ status }),
    });
    const call = failure(client.callTool('x'));
    await clock.advance(5000);
    expect((await call).code).toBe('outcome-unknown');
    expect(gets().filter(isRest)).toHaveLength(1);
  });

  it('is lost at once where no event had an id', async () => {
    const { client, gets } = await reach({ onCall: () => streamed((stream) => stream.end()) });
    expect((await failure(client.callTool('x'))).code).toBe('outcome-unknown');
    expect(gets().filter(isRest)).toEqual([]);
  });

  it('is not waited for past the deadline', async () => {
    const { client, clock } = await reach({
      onCall: () =>
        streamed((stream) => {
          stream.write('id: 1\nretry: 999999999999\ndata: \n\n');
          stream.end();
        }),
    });
    const call = failure(client.callTool('x', {}, { timeoutMs: 1000 }));
    await clock.advance(1000);
    expect((await call).code).toBe('timeout');
  });
});

describe('the stream of what a legacy server sends by itself', () => {
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

  it('[LEGC-09] is opened after the handshake, with the headers of the session, and read', async () => {
    let open: ScriptedStream | undefined;
    const { notifications, gets } = await reach({ onGet: () => streamed((stream) => void (open = stream)) });
    expect(gets()).toHaveLength(1);
    expect(gets()[0]?.headers).toMatchObject({ 'mcp-session-id': 's-1', accept: 'text/event-stream' });
    open?.write(eventOf(changed));
    await settle();
    expect(notifications).toMatchObject([changed]);
  });

  it.each([405, 404, 400, 501])('is done without where the server answers %i', async (status) => {
    const { clock, gets, warnings } = await reach({ onGet: () => ({ status }) });
    await clock.advance(600_000);
    expect(gets()).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('[http-08] is kept for as long as it lives, with comments every 25 seconds or in silence', async () => {
    const streams: ScriptedStream[] = [];
    const { client, clock, gets, warnings } = await reach({
      onGet: () => streamed((stream) => void streams.push(stream)),
    });
    for (let beat = 0; beat < 48; beat += 1) {
      streams[0]?.write(':\r\n');
      await clock.advance(25_000);
    }
    await clock.advance(6 * 60_000);
    expect(gets()).toHaveLength(1);
    expect(gets()[0]?.signal.aborted).toBe(false);
    expect(warnings).toEqual([]);
    expect(client.era).toBe('legacy');
  });

  it('[LEGC-10] is taken up again where it ends, from its last event', async () => {
    const streams: ScriptedStream[] = [];
    const { clock, gets, notifications } = await reach({
      onGet: () => streamed((stream) => void streams.push(stream)),
    });
    streams[0]?.write(eventOf(changed, 'n-7'));
    streams[0]?.end();
    await clock.advance(1000);
    expect(gets()).toHaveLength(2);
    expect(gets()[1]?.headers['last-event-id']).toBe('n-7');
    streams[1]?.write(eventOf(changed));
    await settle();
    expect(notifications).toHaveLength(2);
  });

  it('is not asked for more than once a second, whatever the server says, where each brings something', async () => {
    const { clock, gets } = await reach({
      onGet: () =>
        streamed((stream) => {
          stream.write(`retry: 0\n${eventOf(changed)}`);
          stream.end();
        }),
    });
    await clock.advance(9_500);
    expect(gets()).toHaveLength(10);
  });

  it('is given up, with one warning, where it ends five times as soon as it begins', async () => {
    const { clock, gets, warnings } = await reach({ onGet: () => streamed((stream) => stream.end()) });
    await clock.advance(600_000);
    expect(gets()).toHaveLength(5);
    expect(warnings).toMatchObject([{ code: 'stream-lost', server: 'depot' }]);
  });

  it('is asked for five times, and no more, where the server cannot be reached for it', async () => {
    const gone = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    const { clock, gets, warnings } = await reach({ onGet: () => gone });
    await clock.advance(600_000);
    expect(gets()).toHaveLength(5);
    expect(warnings).toMatchObject([{ code: 'stream-lost' }]);
  });

  it('is asked for again when a busy server says', async () => {
    const { clock, gets } = await reach({
      onGet: (_, count) =>
        count === 1 ? { status: 503, headers: { 'retry-after': '30' } } : streamed(() => undefined),
    });
    await clock.advance(29_999);
    expect(gets()).toHaveLength(1);
    await clock.advance(1);
    expect(gets()).toHaveLength(2);
  });

  it('ends with the client', async () => {
    const { client, gets } = await reach({ onGet: () => streamed(() => undefined) });
    await client.close();
    expect(gets()[0]?.signal.aborted).toBe(true);
  });
});

it('[LEGC-07] [session-01] a renewed session has its own stream, and the old one is left', async () => {
  let sessions = 0;
  const gets: Fetched[] = [];
  const { fetch } = scriptFetch((request) => {
    const { message, httpMethod, headers } = request;
    if (httpMethod === 'GET') {
      gets.push(request);
      return streamed(() => undefined);
    }
    if (message.method === 'initialize') sessions += 1;
    const start = greetingTo(request, `s-${sessions}`);
    if (start !== undefined) return start;
    if (headers['mcp-session-id'] === 's-1') return { status: 404 };
    const result = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools: [] } });
    return { headers: { 'content-type': 'application/json' }, body: result };
  });
  const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
  await client.listTools();
  await settle();
  expect(sessions).toBe(2);
  expect(gets.map(({ headers }) => headers['mcp-session-id'])).toEqual(['s-1', 's-2']);
  expect(gets.map(({ signal }) => signal.aborted)).toEqual([true, false]);
});
