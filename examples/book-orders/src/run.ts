import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A JSON-RPC message, as far as the checks look into it. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: object;
  readonly result?: {
    readonly resultType: string;
    readonly supportedVersions?: readonly string[];
    readonly tools?: readonly { readonly name: string; readonly annotations?: { readonly readOnlyHint?: boolean } }[];
    readonly content?: readonly { readonly type: string; readonly text?: string }[];
    readonly structuredContent?: { readonly [name: string]: unknown };
    readonly isError?: boolean;
    readonly _meta?: { readonly [key: string]: unknown };
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** What happened: every message in order, the digest of the data before and after, and how the process ended. */
export interface OrderRun {
  readonly messages: readonly { readonly from: 'client' | 'server'; readonly message: Message }[];
  readonly data: { readonly before: string; readonly after: string };
  readonly exit: { readonly code: number | null; readonly withinFiveSeconds: boolean };
}

const calls: readonly { readonly method: string; readonly params: object }[] = [
  { method: 'server/discover', params: {} },
  { method: 'tools/list', params: {} },
  { method: 'tools/call', params: { name: 'get_order', arguments: { order_id: 'A-104' } } },
  { method: 'tools/call', params: { name: 'get_order', arguments: { order_id: 'B-205' } } },
  { method: 'tools/call', params: { name: 'cancel_order', arguments: { order_id: 'A-104' } } },
];

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'book-orders-drive', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * Runs the server as a child process over stdio, sends it the five requests one after the other, and ends its input.
 */
export async function runOrders(): Promise<OrderRun> {
  const before = await digestData();
  const messages: { from: 'client' | 'server'; message: Message }[] = [];
  const child = spawn(
    execPath,
    ['--conditions=@switchyard/source', fileURLToPath(new URL('main.ts', import.meta.url))],
    {
      env: { ORDERS_IDENTITY: 'mira' },
      stdio: 'pipe',
    },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const exited = once(child, 'exit');
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const [index, { method, params }] of calls.entries()) {
      const request = { jsonrpc: '2.0', id: index + 1, method, params: { ...params, _meta: meta } };
      messages.push({ from: 'client', message: request });
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error(`the server ended before it answered request ${request.id}: ${log}`);
      messages.push({ from: 'server', message: JSON.parse(line.value) as Message });
    }
    child.stdin.end();
    let withinFiveSeconds = true;
    const timer = setTimeout(() => {
      withinFiveSeconds = false;
      child.kill('SIGKILL');
    }, 5_000);
    const [code] = (await exited) as [number | null];
    clearTimeout(timer);
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      messages.push({ from: 'server', message: JSON.parse(line.value) as Message });
    }
    return { messages, data: { before, after: await digestData() }, exit: { code, withinFiveSeconds } };
  } finally {
    child.kill('SIGKILL');
  }
}

async function digestData(): Promise<string> {
  const data = await readFile(new URL('../data/orders.json', import.meta.url));
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}
