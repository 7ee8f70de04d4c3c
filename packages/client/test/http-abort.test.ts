import { describe, expect, it } from 'vitest';
import { failure } from './expect-failure.ts';
import { serve, stream } from './serve-http.ts';

describe('giving up a request', () => {
  it('[CAN-03] [HTTP-20] closes its stream and sends no notification', async () => {
    const gone = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { client, server } = await serve((_request, response) => {
      stream(response);
      response.write(': working\n\n');
      response.once('close', () => gone.resolve());
      arrived.resolve();
    });
    const controller = new AbortController();
    const call = failure(client.callTool('x', {}, { signal: controller.signal }));
    await arrived.promise;
    controller.abort(new Error('the user closed the tab'));
    expect(await call).toMatchObject({ code: 'aborted', cause: { message: 'the user closed the tab' } });
    await gone.promise;
    expect(server.methods()).toEqual(['server/discover', 'tools/call']);
  });

  it('works before any answer has begun', async () => {
    const gone = Promise.withResolvers<void>();
    const { client } = await serve((_request, response) => {
      response.once('close', () => gone.resolve());
    });
    expect((await failure(client.callTool('x', {}, { timeoutMs: 100 }))).code).toBe('timeout');
    await gone.promise;
  });

  it('is what closing the client does to all', async () => {
    const arrived = Promise.withResolvers<void>();
    const { client } = await serve(() => arrived.resolve());
    const calls = [failure(client.callTool('a')), failure(client.callTool('b'))];
    await arrived.promise;
    await client.close();
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['closed', 'closed']);
    expect((await failure(client.listTools())).code).toBe('closed');
  });
});
