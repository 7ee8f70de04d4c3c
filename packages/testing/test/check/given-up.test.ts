import { describe, expect, it, onTestFinished } from 'vitest';

import { createRawClient, openRawConnection, runChecks } from '../../src/index.ts';
import { openRawClient } from './open-raw-client.ts';
import { serveWrong, type Wrong } from './serve-wrong.ts';

async function serve(wrong: Wrong) {
  const server = await serveWrong(wrong);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.urls;
}

/** Answers calls of the tool `part`, and nothing else, with a status. */
function serveOneToolRefused(status: number) {
  let called: unknown;
  return serve({
    takes(params) {
      called = params['name'];
      return params;
    },
    answers: (reply) => (called === 'part' ? { status } : reply),
  });
}

describe('a run of the checks', () => {
  it.each([
    ['busy', 429],
    ['busy', 502],
    ['busy', 503],
    ['busy', 504],
    ['unauthorized', 401],
    ['unauthorized', 403],
  ])('rejects with %s, and fails no check, where HTTP %i comes in the middle of it', async (code, status) => {
    for (const method of ['tools/list', 'tools/call', 'switchyard/unknown']) {
      let hasBegun = false;
      const first = method === 'tools/call' ? 6 : 1;
      const urls = await serve({
        answers(reply, request) {
          hasBegun ||= request.method === method && request.count >= first;
          return hasBegun ? { status } : reply;
        },
      });
      await expect(runChecks(openRawClient(urls))).rejects.toMatchObject({
        name: 'RawConnectionError',
        code,
        message: expect.stringContaining(`${method} was answered with HTTP ${status}`) as string,
      });
    }
  });

  it('goes on where one tool wants other rights than the rest', async () => {
    const urls = await serveOneToolRefused(403);
    const { checks } = await runChecks(openRawClient(urls));
    expect(checks.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 10 }, () => 'passed'));
    expect(checks[2]?.evidence).toMatch(/not applied: tools\/call part: .*HTTP 403/);
  });

  it.each([401, 403])(
    'takes HTTP %i for the refusal of what it broke, where good requests are served',
    async (status) => {
      let isRetry = false;
      let refused = 0;
      const urls = await serve({
        takes(params) {
          isRetry = 'requestState' in params;
          return params;
        },
        answers(reply) {
          if (!isRetry || reply.error === undefined) return reply;
          refused += 1;
          return { ...reply, status };
        },
      });
      const { checks } = await runChecks(openRawClient(urls));
      expect(refused).toBeGreaterThan(0);
      expect(checks.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 10 }, () => 'passed'));
    },
  );

  it('goes on where one tool is down', async () => {
    const urls = await serveOneToolRefused(503);
    const { checks } = await runChecks(openRawClient(urls));
    expect(checks[2]?.evidence).toMatch(/not applied: tools\/call part: .*HTTP 503/);
  });

  it.each(['server/discover', 'tools/list', 'tools/call', 'switchyard/unknown'])(
    'rejects with given-up, and reports nothing, where the signal aborts during %s',
    async (method) => {
      const abort = new AbortController();
      const urls = await serve({
        answers(reply, request) {
          if (request.method === method) abort.abort();
          return reply;
        },
      });
      const client = createRawClient({
        transport: 'http',
        instances: 1,
        open: () => openRawConnection({ url: urls[0] ?? '' }),
        signal: abort.signal,
      });
      onTestFinished(() => client.close());
      await expect(runChecks(client)).rejects.toMatchObject({ name: 'RawConnectionError', code: 'given-up' });
    },
  );

  it('loses one check to one connection that is dropped', async () => {
    for (const dropped of [1, 2, 3]) {
      const urls = await serve({
        answers: (reply, { method, count }) =>
          method === 'tools/list' && count === dropped ? { ...reply, isCut: true } : reply,
      });
      const { checks } = await runChecks(openRawClient(urls.slice(0, 1)));
      const failed = checks.filter(({ verdict }) => verdict === 'failed');
      expect(failed.map(({ evidence }) => evidence)).toEqual([
        expect.stringMatching(/cannot be reached for tools\/list/),
      ]);
    }
  });
});
