import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Redirect } from '../authorization/redirect.ts';
import { callGuarded } from '../peer/call-guarded.ts';
import { MAX_TIMER_MS } from '../timing/assert-limits.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { isOwnHost } from './is-own-host.ts';
import { openBrowser } from './open-browser.ts';

/** How a browser comes back to this process. */
export interface LoopbackRedirectOptions {
  /** Ports to try in this order, 0 for one that is free. Default: one that is free. */
  readonly ports?: readonly number[];
  /** The path of the redirect URI. Default `/callback`. */
  readonly path?: string;
  /** What the redirect URI calls this machine; 127.0.0.1 is listened on either way. Default `127.0.0.1`. */
  readonly host?: '127.0.0.1' | 'localhost';
  /** Opens the browser; `false` where there is none. Default: the command of the platform. Its failure is survived. */
  readonly openBrowser?: false | ((url: URL) => Promise<void>);
  /** Takes the URL that the user has to open, so that he can do it himself, elsewhere, too. */
  readonly onUrl?: (url: URL) => void;
  /**
   * Reads where the browser came back to, for a user whose browser runs on another machine and shows an address that
   * it cannot open. It is asked at once, and again after what was no answer to this login, five times at most; the
   * browser may still come first, and then its signal aborts.
   */
  readonly readPasted?: (options: { readonly signal: AbortSignal; readonly attempt: number }) => Promise<string>;
  /** How long the user may take, in milliseconds, from 1 to 2,147,483,647. Default 300,000. */
  readonly timeoutMs?: number;
  /** Where time comes from. Default: the platform. */
  readonly clock?: Clock;
}

/** A redirect to this machine. */
export interface LoopbackRedirect extends Redirect, AsyncDisposable {
  /** Stops listening and ends a wait. */
  close(): Promise<void>;
}

const MAX_PASTES = 5;
const MAX_CONNECTIONS = 16;
const REQUEST_MS = 10_000;
const CHECK_MS = 1000;

/**
 * Opens a redirect to this machine: it listens on 127.0.0.1 from now on until the browser came back once, and again
 * while later logins wait. Of all requests only a GET of its path with the `state` of the login counts, once; every
 * other one gets a 404. The user is shown a small page without script, and nothing of the request. Rejects where no
 * port is free or the time is out of range; `authorize` does with an `Error` where the user takes too long. Of 16
 * connections the oldest makes room for the next one.
 *
 * Spec: basic/authorization/security-considerations#communication-security (2026-07-28); RFC 8252 section 7.3.
 */
export async function openLoopbackRedirect(options: LoopbackRedirectOptions = {}): Promise<LoopbackRedirect> {
  const { ports = [0], path = '/callback', host = '127.0.0.1', clock = systemClock, timeoutMs = 300_000 } = options;
  if (!/^\/[\w./~-]*$/.test(path)) throw new Error('the path of a redirect must begin with / and hold no query');
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS))
    throw new Error(`timeoutMs of a redirect must be from 1 to ${MAX_TIMER_MS} milliseconds`);
  const closing = new AbortController();
  let wanted: { readonly state: string; readonly resolve: (url: URL) => void } | undefined;
  let server: Server | undefined = await listenOnFirst(ports, answer);
  const { port } = server.address() as AddressInfo;
  const uri = `http://${host}:${port}${path}`;

  return { uri, authorize, close, [Symbol.asyncDispose]: close };

  async function authorize(url: URL, { signal, state }: Parameters<Redirect['authorize']>[1]): Promise<URL> {
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new Error(`the authorization server names a URL that begins with ${url.protocol}`);
    closing.signal.throwIfAborted();
    server ??= await listenOnFirst([port], answer);
    const late = new AbortController();
    const stop = clock.after(timeoutMs, () =>
      late.abort(new Error(`nobody logged in within ${Math.round(timeoutMs / 1000)} s. Start again`)),
    );
    try {
      return await withAnySignal([signal, closing.signal, late.signal], async (any) => {
        any.throwIfAborted();
        const over = new AbortController();
        any.addEventListener('abort', () => over.abort(any.reason), { once: true });
        const came = new Promise<URL>((resolve, reject) => {
          wanted = { state, resolve };
          over.signal.addEventListener('abort', () => reject(over.signal.reason), { once: true });
        });
        callGuarded(
          () => options.onUrl?.(url),
          () => undefined,
        );
        if (options.openBrowser !== false) {
          // Who has no browser opens the URL that was shown.
          (options.openBrowser ?? openBrowser)(url).catch(() => undefined);
        }
        const { readPasted } = options;
        const pasted = readPasted === undefined ? [] : [readAnswer(readPasted, state, over.signal)];
        try {
          return await Promise.race([came, ...pasted]);
        } finally {
          over.abort(new Error('the login is over'));
        }
      });
    } finally {
      stop();
      wanted = undefined;
      await stopListening();
    }
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '', `http://${host}:${port}`);
    const isOurs = request.method === 'GET' && isOwnHost(request.headers.host, port) && url?.pathname === path;
    if (!isOurs || wanted === undefined || !answersTo(url.searchParams, wanted.state)) {
      response.writeHead(404, { connection: 'close', 'content-type': 'text/plain' }).end('Nothing is here.\n');
      return;
    }
    const { resolve } = wanted;
    wanted = undefined;
    const isAgreed = url.searchParams.has('code');
    // Waiting for the page to be sent keeps it from being cut off when this stops listening.
    response.once('close', () => resolve(url));
    response
      .writeHead(200, {
        connection: 'close',
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      .end(pageOf(isAgreed ? 'The browser is done.' : 'The login was not completed.'));
  }

  async function stopListening(): Promise<void> {
    const listening = server;
    server = undefined;
    if (listening === undefined) return;
    const closed = new Promise<void>((resolve) => void listening.close(() => resolve()));
    listening.closeAllConnections();
    await closed;
  }

  async function close(): Promise<void> {
    closing.abort(new Error('the redirect was closed'));
    await stopListening();
  }
}

/** Asks for what the browser shows until it is an answer to this login. */
async function readAnswer(
  readPasted: NonNullable<LoopbackRedirectOptions['readPasted']>,
  state: string,
  signal: AbortSignal,
): Promise<URL> {
  for (let attempt = 1; attempt <= MAX_PASTES; attempt += 1) {
    const url = URL.parse((await readPasted({ signal, attempt })).trim());
    if (url !== null && answersTo(url.searchParams, state)) return url;
  }
  throw new Error('what was pasted is not the address that the browser showed at the end of this login. Start again');
}

/** One answer to one login. */
function answersTo(parameters: URLSearchParams, state: string): boolean {
  const states = parameters.getAll('state');
  if (states.length !== 1 || states[0] !== state) return false;
  return parameters.has('code') || parameters.has('error');
}

async function listenOnFirst(
  ports: readonly number[],
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  let failure: unknown;
  for (const port of ports) {
    const limits = {
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
    };
    const server = createServer(limits, answer);
    limitConnections(server);
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', resolve);
      });
      // Waiting for a login keeps the process; being ready for one does not.
      server.unref();
      return server;
    } catch (error) {
      failure = error;
    }
  }
  const why = failure instanceof Error && 'code' in failure ? String(failure.code) : 'there is none';
  throw new Error(`no port of 127.0.0.1 could be listened on for the browser: ${ports.join(', ')} (${why})`);
}

/** Who opens many connections and says nothing must not keep the browser out: the oldest makes room. */
function limitConnections(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MAX_CONNECTIONS) oldest?.destroy();
  });
}

function pageOf(title: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<h1>${title}</h1>
<p>You can close this window and go back to the program.</p>
</body>
</html>
`;
}
