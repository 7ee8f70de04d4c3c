import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a proxy does wrong, beside nothing. */
export interface BadProxy {
  /** Holds a body back until the server ends it, and the headers with it. */
  readonly buffers?: boolean;
  /** Names of request headers that do not get through. */
  readonly drops?: RegExp;
  /** Names of headers of answers that do not get back. */
  readonly dropsOfAnswers?: RegExp;
  /** Cuts a connection on which nothing was said for so long. */
  readonly cutsAfterMs?: number;
  /** Answers by itself; answers whether it did. */
  readonly answers?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** Puts a proxy before a server until the test ends, and answers the URL that leads through it. */
export async function openBadProxy(upstream: string, bad: BadProxy): Promise<string> {
  const { origin, pathname } = new URL(upstream);
  const server = createServer((incoming, outgoing) => {
    if (bad.answers?.(incoming, outgoing) === true) return;
    const headers = Object.entries(incoming.headers).filter(([name]) => bad.drops?.test(name) !== true);
    const onward = request(`${origin}${incoming.url}`, {
      method: incoming.method,
      headers: { ...Object.fromEntries(headers), host: new URL(origin).host },
    });
    incoming.pipe(onward);
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.on('response', (answer) => void pass(answer, outgoing, bad));
  });
  return `${await listening(server)}${pathname}`;
}

async function pass(answer: IncomingMessage, outgoing: ServerResponse, bad: BadProxy): Promise<void> {
  const headers = Object.entries(answer.headers).filter(([name]) => bad.dropsOfAnswers?.test(name) !== true);
  const writeHead = (): void => void outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers));
  if (bad.cutsAfterMs !== undefined) outgoing.setTimeout(bad.cutsAfterMs, () => outgoing.destroy());
  answer.on('error', () => outgoing.destroy());
  if (bad.buffers !== true) {
    writeHead();
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    return;
  }
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  answer.on('end', () => {
    writeHead();
    outgoing.end(Buffer.concat(chunks));
  });
}

/** Has a server listen on loopback until the test ends, and answers its origin. */
export async function listening(server: ReturnType<typeof createServer>, scheme = 'http'): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
