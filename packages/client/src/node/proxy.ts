import { type Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';

/** As `NetworkOptions.proxy`: the text `environment`, a URL, or none. */
export type ProxyChoice = string | URL | false;

/** The proxies for the two schemes; an empty text: none. */
export interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are reached without one, as in `NO_PROXY`. */
  readonly noProxy: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks:']);

/**
 * Answers the proxies of a choice, or `undefined` for none. `HTTP_PROXY` in upper case does not count where
 * `REQUEST_METHOD` is set: a CGI program has it from whoever calls. Throws an `Error` for what is no URL of a proxy; it
 * does not hold the URL, which may have a password.
 */
export function proxyFor(choice: ProxyChoice, env: Environment): Proxies | undefined {
  if (choice === false) return undefined;
  if (choice !== 'environment') {
    const url = readProxy(String(choice), 'the option proxy');
    return { httpProxy: url, httpsProxy: url, noProxy: '' };
  }
  const httpProxy = env['http_proxy'] ?? (env['REQUEST_METHOD'] === undefined ? env['HTTP_PROXY'] : undefined) ?? '';
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  if (httpProxy === '' && httpsProxy === '') return undefined;
  return {
    httpProxy: httpProxy === '' ? '' : readProxy(httpProxy, 'HTTP_PROXY'),
    httpsProxy: httpsProxy === '' ? '' : readProxy(httpsProxy, 'HTTPS_PROXY'),
    noProxy: withLoopback(env['no_proxy'] ?? env['NO_PROXY'] ?? ''),
  };
}

/** A proxy elsewhere does not reach this machine, and is not to learn what is said on it. */
function withLoopback(noProxy: string): string {
  return noProxy.trim() === '*' ? '*' : `${noProxy},localhost,127.0.0.1,[::1]`;
}

/** Programs take `proxy.example:3128` for a proxy that speaks HTTP. */
function readProxy(text: string, where: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url !== null && protocols.has(url.protocol)) return url.href;
  throw new Error(`${where} is no URL of a proxy; write one like http://proxy.example:3128.`);
}

/**
 * Opens what requests go through to a proxy: a tunnel (`CONNECT`) for https, and for http the proxy gets the whole
 * request, since many refuse tunnels to other ports than 443.
 */
export function openProxyAgent(
  proxies: Proxies,
  {
    agentOptions,
    connect,
  }: { readonly agentOptions: Agent.Options; readonly connect: buildConnector.BuildOptions & { timeout: number } },
): Dispatcher {
  return new EnvHttpProxyAgent({
    ...agentOptions,
    ...proxies,
    connect,
    requestTls: connect,
    proxyTls: { timeout: connect.timeout },
    proxyTunnel: false,
  });
}
