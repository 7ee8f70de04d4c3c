import { isLoopback } from '@switchyard/protocol';
import type { HttpHead } from '../exchange/http-exchange.ts';

/** Which `Host` and `Origin` values may reach an endpoint. */
export interface OriginOptions {
  /**
   * Further `Host` values without port, for example `mcp.example.com`. Loopback ones always pass, see
   * {@link isLoopback}.
   */
  readonly allowedHosts?: readonly string[];
  /** Further `Origin` values, for example `https://app.example.com`. Loopback origins always pass. */
  readonly allowedOrigins?: readonly string[];
}

/** Answers one sentence on why a request is refused with status 403, or `undefined`. */
export type OriginPolicy = (head: HttpHead) => string | undefined;

/**
 * Checks `Host` and `Origin`, each on its own: a page that rebinds its name to a loopback address sends a foreign
 * `Host`, and a page that calls a loopback address by its right name sends a foreign `Origin`.
 *
 * Spec: basic/transports/streamable-http#security-warning (2026-07-28).
 *
 * @throws TypeError when an allowed value can never be sent: a host with a scheme or port, an origin with a path, `*`.
 */
export function createOriginPolicy(options: OriginOptions): OriginPolicy {
  const hosts = new Set((options.allowedHosts ?? []).map(toAllowedHost));
  const origins = new Set((options.allowedOrigins ?? []).map(toAllowedOrigin));
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

/**
 * Answers whether no names are let in but loopback ones: whoever is called by another one is meant to be reached from
 * elsewhere.
 */
export function namesLoopbackOnly({ allowedHosts = [] }: OriginOptions): boolean {
  return allowedHosts.every((host) => isLoopbackHost(host));
}

const HOST = /^(?:[^\s:/?#@*,[\]]+|\[[0-9a-f:.]+\])$/i;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*,]+$/i;

function toAllowedHost(host: string): string {
  if (!HOST.test(host))
    throw new TypeError(
      `allowedHosts: ${JSON.stringify(host)} is no host name; write it without scheme and port, for example mcp.example.com or [2001:db8::1]`,
    );
  return host.toLowerCase();
}

function toAllowedOrigin(origin: string): string {
  if (!ORIGIN.test(origin))
    throw new TypeError(
      `allowedOrigins: ${JSON.stringify(origin)} is no origin; write scheme, host and perhaps port, for example https://app.example.com`,
    );
  // As a browser writes it: without the port that the scheme has anyhow.
  return /^https?:/i.test(origin) && URL.canParse(origin) ? new URL(origin).origin : origin.toLowerCase();
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
