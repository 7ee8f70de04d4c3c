import { PassThrough } from 'node:stream';

import { errorCodes } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { serveStdio } from '@switchyard/server/node';

import { createRandom } from './random.ts';
import { requestOf } from './request-of.ts';
import type { Soak } from './soak.ts';

const codes = new Set<unknown>(Object.values(errorCodes).map(({ code }) => code));
const good = (id: unknown, method = 'tools/call', params: object = { name: 'echo', arguments: {} }): string =>
  requestOf(method, { ...params }, { id, capabilities: { elicitation: {}, roots: {} } }).body;

/** Random bytes and half-right lines to the stdio reader. */
export const fuzzStdio: Soak = {
  what: 'random bytes and half-right lines to the stdio reader for so many seconds, split anywhere; every line that is written is a message, errors have the codes of the specification, and a good request works after each round',
  amount: 60,
  async run({ seed, amount, progress }) {
    const random = createRandom(seed);
    const until = performance.now() + amount * 1000;
    const seen: Record<string, number> = {};
    const wrong: string[] = [];
    let rounds = 0;
    let lines = 0;
    for (; performance.now() < until && wrong.length === 0; rounds += 1) {
      const written = await runRound(random);
      lines += written.sent;
      for (const line of written.lines) {
        const problem = problemOf(line, seen);
        if (problem !== undefined) wrong.push(problem);
      }
      if (!written.lines.some((line) => line.includes('still here'))) wrong.push('no answer to the good request');
      if (rounds % 200 === 0) progress(`${lines} lines`);
    }
    return { ok: wrong.length === 0 && rounds > 0, found: { rounds, lines, seen, wrong: wrong.slice(0, 5) } };
  },
};

async function runRound(random: () => number): Promise<{ readonly sent: number; readonly lines: readonly string[] }> {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const server = createServer({ name: 'fuzz', version: '1.0.0' }, { logger: silentLogger });
  server.tool('echo', { input: { type: 'object' } }, () => 'still here');
  server.tool(
    'ask',
    {},
    async (_args, ctx) =>
      (await ctx.elicit('who', { message: 'Who?', schema: { type: 'object', properties: {} } })).action,
  );
  const running = await serveStdio(server, { input, output, maxLineBytes: 64 * 1024, graceMs: 2_000 });
  const sent = 20 + Math.floor(random() * 60);
  const parts = Array.from({ length: sent }, () => junk(random));
  const bytes = Buffer.concat([...parts, Buffer.from(`\n${good('last')}\n`)]);
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() * random() * 4_000);
    input.write(bytes.subarray(at, at + size));
    at += size;
  }
  input.end();
  await running.closed;
  return { sent, lines: text.split('\n').filter((line) => line !== '') };
}

const methods = [
  'tools/call',
  'tools/list',
  'resources/read',
  'prompts/get',
  'server/discover',
  'subscriptions/listen',
  'initialize',
  'ping',
  '__proto__',
  '',
];

function junk(random: () => number): Buffer {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  const line = (text: string): Buffer => Buffer.from(`${text}${pick(['\n', '\r\n', '\n\n', '\n \n'])}`);
  switch (Math.floor(random() * 9)) {
    case 0:
      return bytes(Math.floor(random() * 300));
    case 1:
      return line(good(pick([1, 'x', null, 1.5, {}, [], -7, '__proto__'])));
    case 2:
      return line(
        good(
          Math.floor(random() * 5),
          pick(methods),
          pick([{}, { name: 'ask' }, { name: 7 }, { uri: 'x' }, { notifications: {} }]),
        ),
      );
    case 3:
      return line(good(2).slice(0, Math.floor(random() * 200)));
    case 4:
      return line(`[${good(3)},${good(4)}]`);
    case 5:
      return line(
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: Math.floor(random() * 5) },
        }),
      );
    case 6:
      return line('x'.repeat(Math.floor(random() * 130_000)));
    case 7:
      return line('['.repeat(Math.floor(random() * 2_000)));
    default:
      return line(JSON.stringify({ jsonrpc: '2.0', id: 9, result: pick([{}, null, 'x']) }));
  }
}

function problemOf(line: string, seen: Record<string, number>): string | undefined {
  let message: {
    readonly jsonrpc?: unknown;
    readonly method?: unknown;
    readonly error?: { readonly code?: unknown };
    readonly result?: unknown;
  };
  try {
    message = JSON.parse(line) as typeof message;
  } catch {
    return `not JSON: ${line.slice(0, 200)}`;
  }
  if (message.jsonrpc !== '2.0') return `no message: ${line.slice(0, 200)}`;
  const kind =
    message.error === undefined
      ? message.method === undefined
        ? 'result'
        : 'notification'
      : String(message.error.code);
  seen[kind] = (seen[kind] ?? 0) + 1;
  return message.error === undefined || codes.has(message.error.code)
    ? undefined
    : `code ${String(message.error.code)}`;
}
