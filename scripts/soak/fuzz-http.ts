import { errorCodes, latestRevision } from '@switchyard/protocol';
import { createServer, toFetch } from '@switchyard/server';
import fc from 'fast-check';

import { requestOf } from './request-of.ts';
import type { Soak } from './soak.ts';

const codes = new Set<unknown>(Object.values(errorCodes).map(({ code }) => code));
const statuses = new Set([200, 202, 400, 403, 404, 405, 413, 415]);

/** Mostly what is right, sometimes anything. */
function mostly<T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue() });
}

const meta = fc.record({
  'io.modelcontextprotocol/protocolVersion': mostly(fc.constant(latestRevision)),
  'io.modelcontextprotocol/clientCapabilities': mostly(fc.constant({})),
  'io.modelcontextprotocol/logLevel': mostly(fc.constant('debug')),
  progressToken: mostly(fc.integer()),
});
const method = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('tools/call', 'tools/list', 'resources/read', 'prompts/get', 'server/discover'),
  },
  { weight: 1, arbitrary: fc.constantFrom('initialize', 'ping', '__proto__', 'constructor', 'subscriptions/listen') },
  { weight: 1, arbitrary: fc.string() },
);
const params = fc.record({
  name: mostly(fc.constantFrom('echo', 'ask')),
  uri: mostly(fc.constant('fuzz://it')),
  arguments: mostly(fc.record({ text: mostly(fc.string()), what: fc.string() }, { requiredKeys: [] })),
  _meta: mostly(meta),
});
const withCursor = fc.record({ _meta: meta, cursor: fc.jsonValue() });
const message = fc.record({
  jsonrpc: mostly(fc.constant('2.0')),
  id: mostly(fc.integer()),
  method,
  params: fc.oneof(
    { weight: 8, arbitrary: params },
    { weight: 2, arbitrary: withCursor },
    { weight: 1, arbitrary: fc.jsonValue() },
  ),
});
const body = fc.oneof(
  { weight: 20, arbitrary: message.map((value) => JSON.stringify(value) ?? '') },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string() },
);
const headers = fc.record(
  {
    'mcp-protocol-version': fc.oneof(fc.constant(latestRevision), fc.string({ unit: 'grapheme-ascii' })),
    'mcp-method': fc.string({ unit: 'grapheme-ascii' }),
    'mcp-name': fc.oneof(fc.constant('echo'), fc.string({ unit: 'grapheme-ascii' })),
    'mcp-param-text': fc.string({ unit: 'grapheme-ascii' }),
  },
  { requiredKeys: [] },
);

const goodRequest = requestOf('tools/call', { name: 'echo', arguments: {} }).body;

/** Random and half-right requests to the HTTP endpoint. */
export const fuzzHttp: Soak = {
  what: 'random and half-right requests to the HTTP endpoint for so many seconds; only statuses and codes of the specification, and a good request works after',
  amount: 60,
  async run({ seed, amount, progress }) {
    const server = createServer({ name: 'fuzz', version: '1.0.0' });
    const input = { type: 'object', properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } } as const;
    server.tool('echo', { input }, ({ text }) => (typeof text === 'string' ? text : 'still here'));
    server.resource('fuzz://it', { name: 'it' }, () => 'it');
    server.prompt('ask', { args: { what: 'anything' } }, ({ what }) => what);
    const handle = toFetch(server);
    const seen: Record<string, number> = {};
    let count = 0;

    const check = async (sent: {
      readonly body: string;
      readonly headers: object;
      readonly mirrored: boolean;
    }): Promise<void> => {
      const response = await handle(toRequest(sent));
      const text = await response.text();
      const code = codeOf(text);
      if (!statuses.has(response.status)) throw new Error(`status ${response.status}`);
      if (code !== undefined && !codes.has(code)) throw new Error(`code ${JSON.stringify(code)}`);
      const key = code === undefined ? `${response.status}` : `${response.status} ${JSON.stringify(code)}`;
      seen[key] = (seen[key] ?? 0) + 1;
      count += 1;
      if (count % 10_000 === 0) progress(`${count} requests`);
    };
    const property = fc.asyncProperty(fc.record({ body, headers, mirrored: fc.boolean() }), check);
    const interruptAfterTimeLimit = amount * 1000;
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed,
      numRuns: Infinity,
      interruptAfterTimeLimit,
    });
    const good = await handle(toRequest({ body: goodRequest, headers: {}, mirrored: true }));
    if (!(await good.text()).includes('still here'))
      throw new Error('a good request was not answered after the others');
    const isWrong = failed && counterexample !== null;
    const found = isWrong ? { count, seen, counterexample, error: String(errorInstance) } : { count, seen };
    return { ok: !isWrong && count > 0, found };
  },
};

/** With `mirrored`, the headers repeat the body, so that the request gets past their check. */
function toRequest(sent: { readonly body: string; readonly headers: object; readonly mirrored: boolean }): Request {
  const given = new Headers({ 'content-type': 'application/json', host: 'localhost' });
  for (const [name, value] of Object.entries(sent.headers)) given.set(name, String(value));
  if (sent.mirrored) mirror(sent.body, given);
  return new Request('http://localhost/mcp', { method: 'POST', headers: given, body: sent.body });
}

function mirror(text: string, headers: Headers): void {
  try {
    const { method: name, params: given } = JSON.parse(text) as {
      method: string;
      params?: { name?: string; uri?: string };
    };
    headers.set('mcp-protocol-version', latestRevision);
    headers.set('mcp-method', name);
    headers.set('mcp-name', given?.name ?? given?.uri ?? '');
  } catch {
    // The body is no message, or what it holds fits no header: the request goes out without.
  }
}

function codeOf(text: string): unknown {
  if (text === '' || !text.startsWith('{')) return undefined;
  return (JSON.parse(text) as { error?: { code?: unknown } }).error?.code;
}
