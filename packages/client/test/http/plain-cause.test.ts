import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { connect as connectByPlatform } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';

const TOKEN = 's3kret-token-abcdefgh';

const endings: (() => void)[] = [];

afterEach(() => {
  for (const end of endings.splice(0)) end();
});

const heads = {
  head: ['HTTP/1.1 200 OK', 'no field'],
  body: [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json',
    'transfer-encoding: chunked',
    '',
    '1',
    '{',
    'no chunk',
  ],
};

/** A server that says the request back with a head, or a body, that is none. */
async function startEcho(broken: keyof typeof heads): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      const [, ...lines] = bytes.toString('latin1').split('\r\n');
      socket.end([...heads[broken], ...lines].join('\r\n'));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  endings.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

it.each([
  ['the head of', 'head', 'the pool', connect],
  ['the head of', 'head', 'the fetch function of the platform', connectByPlatform],
  ['the body of', 'body', 'the pool', connect],
  ['the body of', 'body', 'the fetch function of the platform', connectByPlatform],
] as const)(
  'a credential in %s an answer (%s) that %s cannot read shows in no part of the error',
  async (...[, broken, , reach]) => {
    const error = await failure(reach(await startEcho(broken), { headers: { authorization: `Bearer ${TOKEN}` } }));
    expect(error.cause ?? {}).not.toHaveProperty('data');
    expect(inspect(error, { depth: 10 })).not.toContain(TOKEN);
  },
);

it.each([
  [
    Object.assign(new Error(`no ${TOKEN}`), { code: 'ECONNRESET', data: TOKEN }),
    { message: 'no [redacted]', code: 'ECONNRESET' },
  ],
  [new TypeError('fetch failed', { cause: new Error(`no ${TOKEN}`) }), { message: 'no [redacted]' }],
  [`no ${TOKEN}`, { message: 'no [redacted]' }],
])('what a fetch function throws is the cause by its innermost message and code: %o', async (thrown, expected) => {
  const fetch = (): Promise<never> => Promise.reject(thrown);
  const error = await failure(
    connectByPlatform('http://depot.test/mcp', { headers: { authorization: `Bearer ${TOKEN}` }, fetch }),
  );
  expect({ ...(error.cause as object), message: (error.cause as Error).message }).toEqual(expected);
});
