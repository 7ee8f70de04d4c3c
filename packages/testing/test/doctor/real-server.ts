import { createServer, errorResult, type HttpOptions, type Server, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { onTestFinished } from 'vitest';

/** A server of ours with tools that do, refuse and ask. */
export function createClinic(): Server {
  return createServer({ name: 'clinic', version: '3.0.0' }, { logger: silentLogger })
    .tool(
      'weigh',
      {
        description: 'Weighs somebody',
        input: {
          type: 'object',
          properties: { who: { type: 'string' }, kilos: { type: 'integer', minimum: 1 } },
          required: ['who'],
        },
      },
      ({ who }) => `weighed ${String(who)}`,
    )
    .tool(
      'transfer',
      {
        description: 'Transfers',
        input: { type: 'object', properties: { ward: { type: 'string', 'x-mcp-header': 'Ward' } }, required: ['ward'] },
      },
      ({ ward }) => `to ${String(ward)}`,
    )
    .tool('discharge', { description: 'Refuses' }, () => errorResult('The patient is under observation until noon.'))
    .tool('consult', { description: 'Asks somebody' }, () => errorResult('upstream request timed out after 3000 ms'))
    .tool('interview', { description: 'Asks' }, async (_args, ctx) => {
      const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
      const { action } = await ctx.elicit('age', { message: 'How old?', schema });
      return action;
    });
}

/** Serves it over HTTP until the test ends, and answers its URL. */
export async function openClinic(options: HttpOptions = {}): Promise<string> {
  const served = await serveHttp(createClinic(), { port: 0, ...options });
  onTestFinished(() => served.close({ graceMs: 0 }));
  return served.url;
}

/** Takes the token `good-token-of-the-clinic` alone, and says of another one that it is none. */
export const tokenNeeded: HttpOptions = {
  authenticate: (head) => {
    const given = head.header('authorization');
    if (given === 'Bearer good-token-of-the-clinic') return { subject: 'mira' };
    const error = given === undefined ? '' : ' error="invalid_token", error_description="The token is not known"';
    return { status: 401, wwwAuthenticate: `Bearer${error}` };
  },
};
