import type { HttpHead } from './http-exchange.ts';
import { isLoopback } from './loopback.ts';

/** Which `Host` and `Origin` values may reach an endpoint. */
export interface OriginOptions {
  /** Further `Host` values without port, for example `mcp.example.com`. Loopback ones always pass, see {@link isLoopback}. */
  readonly allowedHosts?: readonly string[];
  /** Further `Origin` values, for example `https://app.example.com`. Loopback origins always pass. */
  readonly allowedOrigins?: readonly string[];
}

/** Answers one sentence on why a request is refused with status 403, or `undefined`. */
export type OriginPolicy = (head: HttpHead) => string | undefined;

/**
 * Checks `Host` and `Origin`, each on its own: a page that rebinds its name to a loopback address sends a foreign `Host`, and a
 * page that calls a loopback address by its right name sends a foreign `Origin`.
 *
 * Spec: basic/transports/streamable-http#security-warning (2026-07-28).
 */
export function createOriginPolicy(options: OriginOptions): OriginPolicy {
  const hosts = new Set((options.allowedHosts ?? []).map((host) => host.toLowerCase()));
  const origins = new Set((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()));
  // Nearly all requests to one address carry the same value.
  let lastHost: string | undefined;
  return (head) => {
    const host = head.header('host');
    if (host === undefined || (host !== lastHost && !hosts.has(hostName(host)) && !isLoopbackHost(host)))
      return 'The Host header names a host that this server does not serve';
    lastHost = host;
    const origin = head.header('origin')?.toLowerCase();
    if (origin !== undefined && !origins.has(origin) && !isLoopbackOrigin(origin))
      return 'The Origin header names an origin that may not call this server';
    return undefined;
  };
}

function hostName(host: string): string {
  return host
    .trim()
    .replace(/:\d{1,5}$/, '')
    .toLowerCase();
}

function isLoopbackHost(host: string): boolean {
  const name = hostName(host);
  return isLoopback(name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name);
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/([^/?#@]+)$/.exec(origin);
  return match?.[1] !== undefined && isLoopbackHost(match[1]);
}
