import { createServer, type HttpOptions, type Logger, type ServerOptions, toFetch } from '@switchyard/server';
import { type Endpoint, endpointToFetch } from '@switchyard/server/endpoint';
import { endpointToNode, serveHttp, toNode } from '@switchyard/server/node';
import { createServer as createHttpServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { type HttpAnswer, messageOf, postOf } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf } from './wire.ts';

const key = Buffer.alloc(32, 7).toString('base64url');
const foreign: HttpOptions = { allowedHosts: ['mcp.example.com'] };
const call = postOf(callOf('hello'));

function create(logger: Logger, options: ServerOptions = {}): ReturnType<typeof createServer> {
  return createServer({ name: 'prepared', version: '1.0.0' }, { logger, ...options }).tool('hello', {}, () => 'hello');
}

type Post = () => Promise<Pick<HttpAnswer, 'status' | 'text'>>;

async function overNode(handler: ReturnType<typeof toNode>): Promise<Post> {
  const http = createHttpServer(handler).listen(0, '127.0.0.1');
  onTestFinished(() => void http.close());
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return () => read(fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...(call as RequestInit) }));
}

function overFetch(handler: ReturnType<typeof toFetch>): Promise<Post> {
  const post: Post = () =>
    read(handler(new Request('http://127.0.0.1:3000/', { method: 'POST', ...(call as RequestInit) })));
  return Promise.resolve(post);
}

async function read(answered: Promise<Response>): Promise<Pick<HttpAnswer, 'status' | 'text'>> {
  const response = await answered;
  return { status: response.status, text: await response.text() };
}

const mounts = [
  ['toNode', async (server, options) => overNode(toNode(server, options))],
  ['toFetch', async (server, options) => overFetch(toFetch(server, options))],
] as const satisfies readonly (readonly [
  string,
  (server: ReturnType<typeof createServer>, options?: HttpOptions) => Promise<Post>,
])[];

describe.each(mounts)('a server that %s mounts', (_, open) => {
  beforeEach(() => {
    vi.stubEnv('SWITCHYARD_STATE_KEYS', '');
    return () => vi.unstubAllEnvs();
  });

  it('answers 500 with -32603 for the development key and a name beyond loopback, and logs once what to do', async () => {
    const logger = createRecorder();
    const post = await open(create(logger), foreign);
    const answers = [await post(), await post()];
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(messageOf(answers[0] as HttpAnswer).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('its log says') as string,
    });
    const errors = logger.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => String(fields['err']))).toEqual([
      expect.stringMatching(/SWITCHYARD_STATE_KEYS.*state: false/),
    ]);
  });

  it.each<[string, ServerOptions, HttpOptions]>([
    ['a key and a name beyond loopback', { state: { keys: [key] } }, foreign],
    ['no request state and a name beyond loopback', { state: false }, foreign],
    ['the development key and no name', {}, {}],
    ['the development key and loopback names', {}, { allowedHosts: ['localhost', '[::1]', '127.0.0.2'] }],
  ])('is served with %s', async (__, options, http) => {
    const logger = createRecorder();
    const post = await open(create(logger, options), http);
    expect((await post()).status).toBe(200);
    expect(logger.lines).toEqual([]);
  });

  it('warns once of tasks in memory where a name beyond loopback is let in', async () => {
    const logger = createRecorder();
    const server = create(logger, { state: false }).tool('job', { task: 'optional' }, () => '');
    const post = await open(server, foreign);
    await post();
    await post();
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringContaining('memory of this process')],
    ]);
  });
});

describe.each([
  ['endpointToNode', async (endpoint: Endpoint) => overNode(endpointToNode(endpoint))],
  ['endpointToFetch', async (endpoint: Endpoint) => overFetch(endpointToFetch(endpoint))],
] as const)('an endpoint that %s mounts', (_, open) => {
  it('is asked once, however many requests come at first', async () => {
    const prepare = vi.fn<(where: { readonly isLoopback: boolean }) => Promise<void>>(() => Promise.resolve());
    const post = await open({ ...create(createRecorder()).endpoint(), prepare });
    expect((await Promise.all([post(), post(), post()])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(prepare.mock.calls).toEqual([[{ isLoopback: true }]]);
  });

  it.each<[string, () => Promise<void>]>([
    ['refused', () => Promise.reject(new TypeError('no keys yet'))],
    [
      'threw at once',
      () => {
        throw new TypeError('no keys yet');
      },
    ],
  ])('is asked again ten seconds after it %s', async (__, refuse) => {
    let now = 0;
    let isRefused = true;
    const prepare = vi.fn<() => Promise<void>>(() => (isRefused ? refuse() : Promise.resolve()));
    const post = await open({ ...create(createRecorder()).endpoint(), prepare, now: () => now });
    expect((await post()).status).toBe(500);
    isRefused = false;
    now = 9_999;
    expect((await post()).status).toBe(500);
    now = 10_000;
    expect((await post()).status).toBe(200);
    expect(prepare).toHaveBeenCalledTimes(2);
  });
});

describe('a server that listens on a loopback address', () => {
  it('refuses to start with the development key and a name beyond loopback, which stands for a proxy in front', async () => {
    vi.stubEnv('SWITCHYARD_STATE_KEYS', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(serveHttp(create(createRecorder()), { port: 0, ...foreign })).rejects.toThrow(/SWITCHYARD_STATE_KEYS/);
  });
});
