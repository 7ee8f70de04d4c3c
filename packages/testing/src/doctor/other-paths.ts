import { mirroredHeaders } from '../raw/modern-message.ts';
import type { DoctorSite } from './doctor-site.ts';
import { initializeRequest, modernRequest } from './greeting-messages.ts';
import { isNothingThere } from './heard.ts';
import type { HttpPeer } from './http-peer.ts';

/** Where servers usually have their endpoint. */
const usual = ['/mcp', '/mcp/', '/', '/sse', '/api/mcp', '/v1/mcp'];
const WAIT_MS = 2_000;

/**
 * Answers the URL of a usual path of the same origin at which an MCP endpoint answers, or wants to know who calls;
 * `undefined` where none does.
 */
export async function findWorkingPath(site: DoctorSite): Promise<string | undefined> {
  const peer = site.http();
  const { origin, pathname } = new URL(peer.url);
  const other = pathname.endsWith('/') ? pathname.slice(0, -1) : `${pathname}/`;
  for (const path of new Set([other, ...usual])) {
    if (path === '' || path === pathname) continue;
    if (await answers(peer, `${origin}${path}`)) return `${origin}${path}`;
  }
  return undefined;
}

async function answers(peer: HttpPeer, url: string): Promise<boolean> {
  const message = modernRequest(1, 'server/discover');
  const timeoutMs = WAIT_MS;
  const heard = await peer.ask({ url, message, headers: mirroredHeaders(message), timeoutMs });
  if (heard.response !== undefined && !isNothingThere(heard)) return true;
  if (heard.status === 401) return heard.header('www-authenticate') !== undefined;
  if (heard.status === 400)
    return (await peer.ask({ url, message: initializeRequest(2), timeoutMs })).response !== undefined;
  if (heard.status !== 404 && heard.status !== 405) return false;
  const { text } = await peer.watch({ url }, { forMs: WAIT_MS, isEnough: (seen) => seen.includes('\n') });
  return /^event: ?endpoint\b/.test(text);
}
