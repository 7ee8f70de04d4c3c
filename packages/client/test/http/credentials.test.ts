import { present } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import {
  type ClientWarning,
  connect,
  type ConnectOptions,
  type Connection,
  createHttpTransport,
  type HeaderFields,
  type HttpCredentials,
  type Principal,
  type Refusal,
  type Transport,
} from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';
import { discoveryTo, type Fetched, greetingTo, resultTo, saying, scriptFetch } from './scripted-fetch.ts';

const URL_OF_DEPOT = 'http://depot.test/mcp';

/** A server that refuses every tool call whose token is not `good`. */
function guarded(status = 401, good = 'Bearer new'): ReturnType<typeof scriptFetch> {
  return scriptFetch((request) => {
    const start = discoveryTo(request);
    if (start !== undefined) return start;
    if (request.headers['authorization'] === good) return resultTo(request, saying('in'));
    return { status, headers: { 'www-authenticate': 'Bearer realm="depot"' }, body: 'who?' };
  });
}

async function reach(
  fetch: ReturnType<typeof scriptFetch>['fetch'],
  options: ConnectOptions,
): ReturnType<typeof connect> {
  return closeAfterwards(await connect(URL_OF_DEPOT, { name: 'depot', fetch, ...options }));
}

const callsOf = (requests: readonly Fetched[]): readonly Fetched[] =>
  requests.filter(({ message }) => message.method === 'tools/call');

/** Answers what the transport says about who calls once it is open. */
async function openedOf(transport: Transport): Promise<Connection> {
  let opened: Connection | undefined;
  const client = await connect({
    ...transport,
    async open(options) {
      opened = await transport.open(options);
      return opened;
    },
  });
  closeAfterwards(client);
  if (opened === undefined) throw new Error('nothing was opened');
  return opened;
}

describe('credentials', () => {
  it('are asked before each request, with its method and URL, and win over configured headers', async () => {
    const asked: string[] = [];
    const credentials: HttpCredentials = {
      fieldsFor({ httpMethod, url }) {
        asked.push(`${httpMethod} ${url}`);
        return Promise.resolve({ authorization: `Bearer ${asked.length}`, accept: 'text/plain' });
      },
      principal: () => 'me',
    };
    const { fetch, requests } = scriptFetch((request) => {
      if (request.httpMethod === 'GET') return { status: 405 };
      return greetingTo(request) ?? resultTo(request, { tools: [] });
    });
    const client = await reach(fetch, { credentials, headers: { Authorization: 'Basic abc', 'x-own': '1' } });
    await client.listTools();
    await client.close();
    await settle();
    expect(new Set(asked)).toEqual(new Set([`POST ${URL_OF_DEPOT}`, `GET ${URL_OF_DEPOT}`, `DELETE ${URL_OF_DEPOT}`]));
    expect(asked).toHaveLength(requests.length);
    expect(new Set(requests.map(({ headers }) => headers['authorization'])).size).toBe(requests.length);
    for (const { headers } of requests) {
      expect(headers['x-own']).toBe('1');
      expect(headers['accept']).toContain('text/event-stream');
    }
  });

  it.each([401, 403])(
    'are told of a %i as it came, and the request, which was not executed, is sent again',
    async (status) => {
      const refusals: Refusal[] = [];
      let token = 'old';
      const credentials: HttpCredentials = {
        fieldsFor: () => ({ authorization: `Bearer ${token}` }),
        onRefusal(refusal) {
          refusals.push(refusal);
          token = 'new';
          return Promise.resolve(true);
        },
        principal: () => 'me',
      };
      const { fetch, requests } = guarded(status);
      const client = await reach(fetch, { credentials });
      expect(await client.callTool('add')).toMatchObject({ content: [{ text: 'in' }] });
      const [refusal] = refusals;
      expect(refusals).toHaveLength(1);
      expect(refusal).toMatchObject({
        status,
        challenge: 'Bearer realm="depot"',
        fields: { authorization: 'Bearer old' },
        operation: 'tools/call add',
      });
      expect(refusal?.header('www-authenticate')).toBe('Bearer realm="depot"');
      expect(callsOf(requests)).toHaveLength(2);
    },
  );

  it('that have nothing better leave the refusal to the caller', async () => {
    const { fetch, requests } = guarded();
    const credentials: HttpCredentials = {
      fieldsFor: () => ({}),
      onRefusal: () => Promise.resolve(false),
      principal: () => undefined,
    };
    const client = await reach(fetch, { credentials });
    expect(await failure(client.callTool('x'))).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(callsOf(requests)).toHaveLength(1);
  });

  it('that always want to try again are stopped', async () => {
    const { fetch, requests } = guarded();
    const credentials: HttpCredentials = {
      fieldsFor: () => ({}),
      onRefusal: () => Promise.resolve(true),
      principal: () => undefined,
    };
    const client = await reach(fetch, { credentials });
    expect((await failure(client.callTool('x'))).code).toBe('unauthorized');
    expect(callsOf(requests)).toHaveLength(6);
  });

  it('see the headers of every answer', async () => {
    const nonces: (string | undefined)[] = [];
    const credentials: HttpCredentials = {
      fieldsFor: () => ({}),
      onResponse: (header) => void nonces.push(header('dpop-nonce')),
      principal: () => undefined,
    };
    let count = 0;
    const { fetch } = scriptFetch((request) => {
      count += 1;
      const answer = discoveryTo(request) ?? resultTo(request, saying('x'));
      return { ...answer, headers: { ...answer.headers, 'dpop-nonce': `n${count}` } };
    });
    await (await reach(fetch, { credentials })).callTool('x');
    expect(nonces).toEqual(['n1', 'n2']);
  });

  it('name the secrets that a server could say back, which are masked', async () => {
    let learn: (secret: string) => void = () => undefined;
    let isOver = false;
    const credentials: HttpCredentials = {
      fieldsFor() {
        learn('very-secret-token');
        return { authorization: 'Bearer very-secret-token' };
      },
      onSecret(taught) {
        learn = taught;
        return () => (isOver = true);
      },
      principal: () => undefined,
    };
    const { fetch } = scriptFetch(
      (request) => discoveryTo(request) ?? { status: 403, body: 'very-secret-token may not do that' },
    );
    const client = await reach(fetch, { credentials });
    const { message } = await failure(client.callTool('x'));
    expect(message).toContain('[redacted] may not');
    expect(isOver).toBe(false);
    await client.close();
    expect(isOver).toBe(true);
  });

  it('may let the time limits of a call stand still while a person signs in', async () => {
    const clock = createManualClock();
    const signedIn = Promise.withResolvers<void>();
    let token = 'old';
    const credentials: HttpCredentials = {
      fieldsFor: () => ({ authorization: `Bearer ${token}` }),
      async onRefusal({ hold }) {
        await hold?.(() => signedIn.promise);
        token = 'new';
        return true;
      },
      principal: () => undefined,
    };
    const client = await reach(guarded().fetch, { credentials, clock });
    const call = client.callTool('x', {}, { timeoutMs: 1000, maxTimeoutMs: 2000 });
    await clock.advance(300_000);
    signedIn.resolve();
    expect(await call).toMatchObject({ content: [{ text: 'in' }] });
  });
});

describe('headers that a function answers', () => {
  it('are asked once, and again after a 401, which is repeated', async () => {
    const answers = ['Bearer old', 'Bearer new'];
    let asked = 0;
    const { fetch, requests } = guarded();
    const client = await reach(fetch, {
      headers: () => {
        asked += 1;
        return Promise.resolve({ Authorization: answers[asked - 1] ?? 'none' });
      },
    });
    await Promise.all([client.callTool('a'), client.callTool('b')]);
    await client.callTool('c');
    expect(asked).toBe(2);
    expect(callsOf(requests)).toHaveLength(5);
  });

  it('that are the same again are not tried again', async () => {
    const { fetch, requests } = guarded();
    let asked = 0;
    const client = await reach(fetch, {
      headers: () => {
        asked += 1;
        return { authorization: 'Bearer old' };
      },
    });
    expect((await failure(client.callTool('x'))).code).toBe('unauthorized');
    expect(callsOf(requests)).toHaveLength(1);
    expect(asked).toBe(2);
  });

  it('are not asked again after a 403', async () => {
    let asked = 0;
    const client = await reach(guarded(403).fetch, {
      headers: () => {
        asked += 1;
        return { authorization: 'Bearer old' };
      },
    });
    expect((await failure(client.callTool('x'))).status).toBe(403);
    expect(asked).toBe(1);
  });

  it.each<[string, NonNullable<ConnectOptions['headers']>, string]>([
    ['throws', () => Promise.reject(new Error('keychain is locked')), 'authorization'],
    ['answers a name that HTTP has not', () => ({ 'no good': '1' }), 'invalid-argument'],
    ['answers a value that HTTP cannot carry', () => ({ 'x-a': 'a\r\nb: c' }), 'invalid-argument'],
    ['answers null', () => null as never, 'invalid-argument'],
    ['answers a text', () => 'x-a: 1' as never, 'invalid-argument'],
    ['answers what are no pairs', () => ['x-a'] as never, 'invalid-argument'],
  ])('that %s fail the request', async (_what, headers, code) => {
    const { fetch, requests } = guarded();
    const error = await failure(connect(URL_OF_DEPOT, { name: 'depot', fetch, headers }));
    expect(error).toMatchObject({ code, server: 'depot' });
    expect(requests).toEqual([]);
  });

  it('that are others each time are tried once more, not again and again', async () => {
    let asked = 0;
    const { fetch, requests } = guarded();
    const client = await reach(fetch, { headers: () => ({ authorization: `Bearer ${(asked += 1)}` }) });
    expect((await failure(client.callTool('x'))).code).toBe('unauthorized');
    expect(callsOf(requests)).toHaveLength(2);
  });

  it('that hang once are asked for again by the next call', async () => {
    const clock = createManualClock();
    const answers = [{ authorization: 'Bearer old' }, new Promise<never>(() => undefined)];
    const { fetch } = guarded();
    const headers = (): HeaderFields | Promise<HeaderFields> => answers.shift() ?? { authorization: 'Bearer new' };
    const client = await reach(fetch, { clock, headers });
    const calls = [
      failure(client.callTool('x', {}, { timeoutMs: 500 })),
      failure(client.callTool('x', {}, { timeoutMs: 900 })),
    ];
    await clock.advance(899);
    const joining = client.callTool('x', {}, { timeoutMs: 5000 });
    joining.catch(() => undefined);
    await clock.advance(1);
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['timeout', 'timeout']);
    await clock.advance(5000);
    await failure(joining);
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'in' }] });
  });

  it('that are not there after a minute are given up', async () => {
    const clock = createManualClock();
    const headers = (): Promise<never> => new Promise(() => undefined);
    const connecting = failure(
      connect(URL_OF_DEPOT, { fetch: guarded().fetch, clock, headers, startTimeoutMs: 90_000 }),
    );
    await clock.advance(60_000);
    expect(await connecting).toMatchObject({ code: 'authorization', mayHaveRun: false });
  });

  it.each<[string, ConnectOptions['headers']]>([
    ['a Headers object', new Headers({ authorization: 'Bearer new' })],
    ['a function of one', () => new Headers({ authorization: 'Bearer new' })],
    ['pairs', [['Authorization', 'Bearer new']]],
  ])('may be %s', async (_what, headers) => {
    const client = await reach(guarded().fetch, present({ headers }));
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'in' }] });
  });

  it('that are null where they are fixed are an error of the caller', async () => {
    const error = await failure(connect(URL_OF_DEPOT, { name: 'depot', headers: null as never }));
    expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot' });
  });

  it('are masked wherever the server says them back', async () => {
    const warnings: ClientWarning[] = [];
    const { fetch } = scriptFetch(
      (request) => discoveryTo(request) ?? { status: 400, body: `no ${request.headers['x-key']}` },
    );
    const client = await reach(fetch, {
      headers: () => ({ 'x-key': 'asked-for-secret' }),
      onWarning: (warning) => warnings.push(warning),
    });
    const { message } = await failure(client.callTool('x'));
    expect(`${message}${JSON.stringify(warnings)}`).not.toContain('asked-for-secret');
  });
});

describe('the principal of a connection', () => {
  const answering = (): ReturnType<typeof scriptFetch> =>
    scriptFetch((request) => discoveryTo(request) ?? { status: 500 });
  const principalOf = async (options: {
    url?: string;
    headers?: Record<string, string>;
  }): Promise<Principal | undefined> => {
    const { fetch } = answering();
    const openPool = (): { fetch: typeof fetch; close: () => Promise<void> } => ({
      fetch,
      close: () => Promise.resolve(),
    });
    return (await openedOf(createHttpTransport({ url: URL_OF_DEPOT, openPool, ...options }))).principal?.();
  };

  it('is nobody without credentials', async () => {
    expect(await principalOf({})).toBeUndefined();
  });

  it('tells credentials apart and holds none of them; order and case of names do not matter', async () => {
    const first = await principalOf({ headers: { Authorization: 'Bearer aaaaaaaa', 'X-A': '1' } });
    const same = await principalOf({ headers: { 'x-a': '1', authorization: 'Bearer aaaaaaaa' } });
    const other = await principalOf({ headers: { Authorization: 'Bearer bbbbbbbb', 'X-A': '1' } });
    const login = await principalOf({ url: 'http://user:pass@depot.test/mcp' });
    expect(first).toBe(same);
    expect(new Set([first, other, login]).size).toBe(3);
    expect(`${first}${other}${login}`).not.toMatch(/aaaa|bbbb|user|pass/);
  });

  it('is that of the credentials where they have one', async () => {
    const { fetch } = answering();
    const connection = await openedOf(
      createHttpTransport({
        url: URL_OF_DEPOT,
        credentials: { fieldsFor: () => ({ authorization: 'Bearer t' }), principal: () => 'issuer|client|grant' },
        openPool: () => ({ fetch, close: () => Promise.resolve() }),
      }),
    );
    expect(connection.principal?.()).toBe('issuer|client|grant');
  });
});

describe('the identity of what is reached', () => {
  const identityOf = (url: string): string | undefined => createHttpTransport({ url }).identity;

  it('is the URL without credentials; a query tells servers apart without being shown', () => {
    expect(identityOf('http://user:pass@depot.test/mcp#x')).toBe('http://depot.test/mcp');
    const keyed = identityOf('http://depot.test/mcp?key=0123456789');
    expect(keyed).not.toBe(identityOf('http://depot.test/mcp?key=9876543210'));
    expect(keyed).not.toContain('0123456789');
  });
});
