import { present } from '@switchyard/protocol';
import { Agent, type buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { RouteError } from '../http/route-error.ts';
import { type NoProxy, readNoProxy } from './no-proxy.ts';
import { openSockets } from './open-sockets.ts';

/** As `NetworkOptions.proxy`: the text `environment`, a URL, or none. */
export type ProxyChoice = string | URL | false;

/** A proxy as it is configured. */
interface ConfiguredProxy {
  /** Empty where there is none, or none that can be used. */
  readonly url: string;
  /** Why it cannot be used. */
  readonly problem?: string;
}

/** The proxies for the two schemes. */
interface Proxies {
  readonly http: ConfiguredProxy;
  readonly https: ConfiguredProxy;
  /** What is reached without one all the same. */
  readonly skips: NoProxy;
}

type Environment = Readonly<Record<string, string | undefined>>;

const none: ConfiguredProxy = { url: '' };
const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks:']);

/**
 * Answers the proxies of a choice, or `undefined` for none. `HTTP_PROXY` counts for `http:` alone and `HTTPS_PROXY` for
 * `https:`; an empty value is no proxy. `HTTP_PROXY` in upper case does not count where `REQUEST_METHOD` is set: a CGI
 * program has it from whoever calls. Throws an `Error` for a choice that is no URL of a proxy; a variable that holds none
 * is told of by the requests that would go through it. Neither holds the URL, which may have a password.
 */
export function proxyFor(choice: ProxyChoice, env: Environment): Proxies | undefined {
  if (choice === false) return undefined;
  if (choice !== 'environment') {
    const proxy = readProxy(String(choice), 'the option proxy');
    if (proxy.problem !== undefined) throw new RouteError(proxy.problem);
    return { http: proxy, https: proxy, skips: () => false };
  }
  const isCgi = env['REQUEST_METHOD'] !== undefined;
  return {
    http: readVariable(env, isCgi ? ['http_proxy'] : ['http_proxy', 'HTTP_PROXY']),
    https: readVariable(env, ['https_proxy', 'HTTPS_PROXY']),
    // A proxy elsewhere does not reach this machine, and is not to learn what is said on it.
    skips: readNoProxy(env['no_proxy'] ?? env['NO_PROXY'] ?? ''),
  };
}

/** The first of these variables that is set counts. */
function readVariable(env: Environment, names: readonly string[]): ConfiguredProxy {
  for (const name of names) {
    const text = env[name]?.trim();
    if (text !== undefined) return text === '' ? none : readProxy(text, name);
  }
  return none;
}

/** Programs take `proxy.example:3128` for a proxy that speaks HTTP, and pass over a path. */
function readProxy(text: string, where: string): ConfiguredProxy {
  const trimmed = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
  if (url === null || url.hostname === '' || !protocols.has(url.protocol)) {
    const taken = [...protocols].join(', ');
    const problem = `${where} is no URL of a proxy that can be used (${taken}); write one like http://proxy.example:3128.`;
    return { url: '', problem };
  }
  if (!isEncoded(url.username) || !isEncoded(url.password)) {
    const problem = `${where} has a user or a password that is not properly percent-encoded; write % as %25.`;
    return { url: '', problem };
  }
  url.pathname = url.search = url.hash = '';
  return { url: url.href };
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
  /** Answers what a request for a server's URL goes through. Throws a {@link RouteError} where that cannot be used. */
  dispatcherFor(server: URL): Dispatcher;
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
export function openProxyRoutes({ http, https, skips }: Proxies, options: SocketOptions): Routes {
  const direct = openDirectRoute(options);
  const agents = new Map<string, ProxyAgent>();
  for (const { url } of [http, https]) {
    if (url !== '' && !agents.has(url)) agents.set(url, openProxyAgent(url, options));
  }
  return {
    dispatcherFor(server) {
      if (skips(server)) return direct.dispatcherFor(server);
      const { url, problem } = server.protocol === 'https:' ? https : http;
      if (problem !== undefined) throw new RouteError(problem);
      return agents.get(url) ?? direct.dispatcherFor(server);
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
