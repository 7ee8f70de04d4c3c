import process from 'node:process';
import type { Dispatcher } from 'undici';
import { present } from '@switchyard/protocol';
import { digestOf } from '../peer/digest.ts';
import type { FetchPool } from '../http/fetch.ts';
import { secretsOfLogin } from '../http/secrets-of.ts';
import { dispatchExchange } from './dispatched-exchange.ts';
import { openDirectRoute, openProxyRoutes, type ProxyChoice, proxyFor, type Routes } from './proxy.ts';
import { readTls, type TlsOptions } from './tls-options.ts';

/** How sockets of a pool are made. */
export interface NetworkOptions {
  /**
   * The proxy: `environment` takes it from `HTTP_PROXY` for `http:` and from `HTTPS_PROXY` for `https:`, in upper or lower
   * case, and none for this machine itself and what `NO_PROXY` names; a URL (`http:`, `https:`, `socks5:`) takes that one
   * for everything; `false` takes none. Default: `environment`. There is none on a unix socket.
   */
  readonly proxy?: ProxyChoice | undefined;
  /** The environment in which `environment` looks. Default: that of this process. */
  readonly baseEnv?: Readonly<Record<string, string | undefined>> | undefined;
  readonly tls?: TlsOptions | undefined;
  /**
   * The path of a unix socket, or of a named pipe, that the server is reached by in place of the URL's host and port.
   */
  readonly socketPath?: string | undefined;
}

const KEEP_ALIVE_MS = 10_000;
const CONNECT_MS = 10_000;
/** How long a server over HTTP/2 may take to answer a ping: all calls share one socket, which may have died in silence. */
const PING_MS = 5000;
/** Said for each request, since undici lets nobody say it of the pools behind a SOCKS proxy. */
const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * Opens a pool of HTTP connections of its own (1.1, and 2 where a server takes it over TLS): kept alive for ten seconds,
 * ten seconds to connect, and no other time limit, since each request has its deadline. It follows no redirect, asks for
 * no compression, and gives no body of an answer that is compressed all the same. A socket of HTTP/2 on which nothing
 * comes back for five to ten seconds, not even the answer to a ping, is given up with what is under way on it. Closing it
 * ends what is under way. Throws an `Error` for a `proxy` that is no URL, and for what cannot be used of `tls`; a proxy of
 * the environment that is none is a {@link import('../http/route-error.ts').RouteError} of the requests that need it.
 */
export function openPooledFetch(options: NetworkOptions = {}): FetchPool {
  const { socketPath, baseEnv = process.env } = options;
  const tls = readTls(options.tls ?? {});
  const connect = { ...tls, timeout: CONNECT_MS };
  const agentOptions = { keepAliveTimeout: KEEP_ALIVE_MS, h2Options: { pingInterval: PING_MS } };
  const proxy = socketPath === undefined ? proxyFor(options.proxy ?? 'environment', baseEnv) : undefined;
  const routes: Routes =
    proxy === undefined
      ? openDirectRoute({ agentOptions, connect: { ...connect, ...present({ socketPath }) } })
      : openProxyRoutes(proxy, { agentOptions, connect });
  // Nearly all requests of a client go to one URL.
  let place: Place | undefined;
  return {
    fetch(url, { method, headers, body, signal }) {
      place = place?.url === url ? place : placeOf(url, routes);
      const { origin, path, dispatcher } = place;
      const fields = { ...headers, 'accept-encoding': 'identity' };
      const request = { origin, path, method, headers: fields, body: body ?? null };
      return dispatchExchange(dispatcher, { ...request, ...noTimeouts }, signal);
    },
    saysWhatWasSent: true,
    secrets: proxy === undefined ? [] : [proxy.http, proxy.https].flatMap(({ url }) => secretsOfProxy(url)),
    close: () => routes.destroy(),
    // Whoever has another certificate is somebody else to the server.
    ...(tls.cert === undefined ? {} : { principal: `certificate:${digestOf('certificate', tls.cert)}` }),
  };
}

/** No proxy is an empty text. */
function secretsOfProxy(url: string): readonly string[] {
  return url === '' ? [] : secretsOfLogin(new URL(url));
}

/** Where a request goes, as a dispatcher takes it. */
interface Place {
  readonly url: string;
  readonly origin: string;
  readonly path: string;
  readonly dispatcher: Dispatcher;
}

function placeOf(url: string, routes: Routes): Place {
  const parsed = new URL(url);
  return {
    url,
    origin: parsed.origin,
    path: parsed.pathname + parsed.search,
    dispatcher: routes.dispatcherFor(parsed),
  };
}
