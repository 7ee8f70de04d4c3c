import { connect, type Socket } from 'node:net';

/** What one load run saw. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
}

/** What to send. The text `%ID%` in the body is replaced by a number that no other request of the run has. */
export interface LoadRequest {
  readonly port: number;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** What every response body must contain. */
  readonly expects: string;
}

const idWidth = 9;

/**
 * Sends the request over `connections` kept-alive connections for `seconds`, one request in flight on each. It speaks
 * HTTP/1.1 over plain sockets, so that the load costs less than what it measures. It rejects on any answer that is not
 * the expected one.
 */
export async function runLoad(request: LoadRequest, connections: number, seconds: number): Promise<LoadResult> {
  let nextId = 10 ** (idWidth - 1);
  const bodyParts = request.body.split('%ID%');
  const length = Buffer.byteLength(request.body) + (bodyParts.length - 1) * (idWidth - '%ID%'.length);
  const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${request.path} HTTP/1.1\r\nhost: 127.0.0.1:${request.port}\r\ncontent-length: ${length}\r\n${lines.join('')}\r\n`;
  const message = (): string => head + bodyParts.join(String(nextId++));

  let requests = 0;
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(request.port, '127.0.0.1');
      socket.setNoDelay(true);
      try {
        await drive(socket, message, request.expects, () => {
          requests += 1;
          return performance.now() < until;
        });
      } finally {
        socket.destroy();
      }
    }),
  );
  return { requests, seconds: (performance.now() - started) / 1000 };
}

function drive(socket: Socket, message: () => string, expects: string, again: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.on('connect', () => socket.write(message()));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = responseEnd(received);
      if (end < 0) return;
      const response = received.slice(0, end);
      received = received.slice(end);
      if (!response.startsWith('HTTP/1.1 200') || !response.includes(expects)) {
        reject(new Error(`unexpected answer: ${response.slice(0, 500)}`));
      } else if (again()) socket.write(message());
      else resolve();
    });
  });
}

/** Answers where the first HTTP response in the text ends, or -1 while it is incomplete. */
function responseEnd(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return -1;
  const head = text.slice(0, headEnd + 2);
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = headEnd + 4 + Number(length);
    return text.length >= end ? end : -1;
  }
  const last = text.indexOf('\r\n0\r\n\r\n', headEnd);
  return last < 0 ? -1 : last + 7;
}
