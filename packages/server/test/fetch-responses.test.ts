import { createServer, silentLogger, toFetch } from '@switchyard/server';
import { expect, it, onTestFinished, vi } from 'vitest';

import { postOf } from './http-route.ts';
import { callOf } from './wire.ts';

it('a request over fetch has one response made', async () => {
  let made = 0;
  class Counted extends Response {
    constructor(...given: ConstructorParameters<typeof Response>) {
      made += 1;
      super(...given);
    }
  }
  vi.stubGlobal('Response', Counted);
  onTestFinished(() => void vi.unstubAllGlobals());
  const server = createServer({ name: 'once', version: '1.0.0' }, { logger: silentLogger }).tool('t', {}, () => 'done');
  const { headers = {}, body } = postOf(callOf('t'));
  const response = await toFetch(server)(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body ?? '',
    }),
  );
  expect(await response.text()).toContain('done');
  expect([response.status, made]).toEqual([200, 1]);
});
