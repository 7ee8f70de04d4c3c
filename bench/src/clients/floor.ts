import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';

import { requestHeaders, requestText } from '../messages.ts';
import { assertFive, type BenchClient, serverCommand, serveRuns } from './client-run.ts';

// The least that a client does: writes a request under its own id, matches the answer by id, and reads it.
const [before = '', after = ''] = requestText('tools/call', { name: 'add', arguments: { a: 2, b: 3 } }).split('%ID%');
let lastId = 0;

interface Answer {
  readonly id: number;
  readonly result: { readonly content?: unknown };
}

serveRuns((port) =>
  Promise.resolve({
    add: port === undefined ? overStdio() : overHttp(port),
    list: () => Promise.reject(new Error('there is no cheapest way to list')),
  }),
);

function overHttp(port: number): BenchClient['add'] {
  const agent = new Agent({ keepAlive: true });
  const fields = requestHeaders('tools/call', 'add');
  return () =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const body = before + lastId + after;
      const headers = { ...fields, 'content-length': Buffer.byteLength(body) };
      const sent = request({ agent, port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          assertFive((JSON.parse(text) as Answer).result);
          resolve();
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

function overStdio(): BenchClient['add'] {
  const { command, args } = serverCommand('stdio-switchyard');
  const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, () => void>();
  let rest = '';
  stdout.setEncoding('utf8');
  stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as Answer;
      assertFive(result);
      waiting.get(id)?.();
      waiting.delete(id);
    }
  });
  return () =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      stdin.write(`${before}${lastId}${after}\n`);
    });
}
