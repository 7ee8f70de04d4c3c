import { present } from '@switchyard/protocol';
import { Agent, type buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { type NoProxy, readNoProxy } from './no-proxy.ts';
import { openSockets } from './open-sockets.ts';

/** As `NetworkOptions.proxy`: the text `environment`, a URL, or none. */
export type ProxyChoice = string | URL | false;

/** The proxies for the two schemes; an empty text: none. */
interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** What is reached without one all the same. */
  readonly skips: NoProxy;
}

type Environment = Readonly<Record<string, string | undefined>>;

const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks:']);

/**
 * Answers the proxies of a choice, or `undefined` for none. `HTTP_PROXY` counts for `http:` alone and `HTTPS_PROXY` for
 * `https:`; an empty value is no proxy. `HTTP_PROXY` in upper case does not count where `REQUEST_METHOD` is set: a CGI
 * program has it from whoever calls. Throws an `Error` for what is no URL of a proxy; it does not hold the URL, which may
 * have a password.
 */
export function proxyFor(choice: ProxyChoice, env: Environment): Proxies | undefined {
  if (choice === false) return undefined;
  if (choice !== 'environment') {
    const url = readProxy(String(choice), 'the option proxy');
    return { httpProxy: url, httpsProxy: url, skips: () => false };
  }
  const httpProxy = env['http_proxy'] ?? (env['REQUEST_METHOD'] === undefined ? env['HTTP_PROXY'] : undefined) ?? '';
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  if (httpProxy === '' && httpsProxy === '') return undefined;
  return {
    httpProxy: httpProxy === '' ? '' : readProxy(httpProxy, 'HTTP_PROXY'),
    httpsProxy: httpsProxy === '' ? '' : readProxy(httpsProxy, 'HTTPS_PROXY'),
    // A proxy elsewhere does not reach this machine, and is not to learn what is said on it.
    skips: readNoProxy(env['no_proxy'] ?? env['NO_PROXY'] ?? ''),
  };
}

/** Programs take `proxy.example:3128` for a proxy that speaks HTTP. */
function readProxy(text: string, where: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !protocols.has(url.protocol)) {
    throw new Error(`${where} is no URL of a proxy; write one like http://proxy.example:3128.`);
  }
  if (!isEncoded(url.username) || !isEncoded(url.password)) {
    throw new Error(`${where} has a user or a password that is not properly percent-encoded; write % as %25.`);
  }
  return url.href;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // A percent sign that encodes nothing.
    return false;
  }
}

/** How sockets are made, as the agents take it. */
export interface SocketOptions {
  readonly agentOptions: Agent.Options;
  readonly connect: buildConnector.BuildOptions & { timeout: number; ca?: string | string[] };
}

/** What the requests of a pool go through. */
export interface Routes {
  /** Answers what a request for `url` goes through. */
  dispatcherFor(url: URL): Dispatcher;
  /** Ends what is under way. */
  destroy(): Promise<void>;
}

/** Opens the way that goes to servers directly. */
export function openDirectRoute({ agentOptions, connect }: SocketOptions): Routes {
  const agent = new Agent({ ...agentOptions, connect, factory: openSockets });
  return { dispatcherFor: () => agent, destroy: () => agent.destroy() };
}

/**
 * Opens what requests go through to proxies: a tunnel (`CONNECT`) for https, and for http the proxy gets the whole
 * request, since many refuse tunnels to other ports than 443.
 */
export function openProxyRoutes({ httpProxy, httpsProxy, skips }: Proxies, options: SocketOptions): Routes {
  const direct = openDirectRoute(options);
  const agents = new Map<string, ProxyAgent>();
  for (const uri of [httpProxy, httpsProxy]) {
    if (uri !== '' && !agents.has(uri)) agents.set(uri, openProxyAgent(uri, options));
  }
  return {
    dispatcherFor(url) {
      const agent = agents.get(url.protocol === 'https:' ? httpsProxy : httpProxy);
      return agent === undefined || skips(url) ? direct.dispatcherFor(url) : agent;
    },
    async destroy() {
      await Promise.all([direct.destroy(), ...Array.from(agents.values(), (agent) => agent.destroy())]);
    },
  };
}

/** A proxy proves who it is to the same authorities as a server; it is not shown who this client is. */
function openProxyAgent(uri: string, { agentOptions, connect }: SocketOptions): ProxyAgent {
  const { timeout, ca } = connect;
  // Whatever stands in `proxyTls` has undici speak TLS to a SOCKS proxy.
  const proxyTls = uri.startsWith('socks') ? {} : { proxyTls: { timeout, ...present({ ca }) } };
  return new ProxyAgent({
    ...agentOptions,
    ...proxyTls,
    uri,
    connectTimeout: timeout,
    requestTls: connect,
    proxyTunnel: false,
    factory: openSockets,
    clientFactory: openSockets,
  });
}
