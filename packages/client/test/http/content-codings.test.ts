import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failure } from '../expect-failure.ts';
import { said } from '../scripted-http-server.ts';
import { serve } from '../serve-http.ts';

describe('an answer', () => {
  it.each<string | string[]>(['Identity', 'IDENTITY', '', ' ', 'identity, identity', 'identity,', ['identity', '']])(
    'with the content coding %j is read as it is',
    async (coding) => {
      const { client } = await serve(({ message }, response) => {
        response.setHeader('content-type', 'application/json').setHeader('content-encoding', coding);
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: said('done') }));
      });
      expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    },
  );

  it.each<string | string[]>(['gzip', 'GZIP', 'gzip, identity', 'identity,gzip', ['identity', 'x-GZip']])(
    'with the content coding %j is compressed, which is told',
    async (coding) => {
      const { client } = await serve((_request, response) => {
        response.setHeader('content-type', 'application/json').setHeader('content-encoding', coding);
        response.end(gzipSync('{}'));
      });
      const error = await failure(client.listTools());
      expect(error.code).toBe('invalid-response');
      expect(error.message).toMatch(/is compressed \(.*gzip/i);
    },
  );
});
