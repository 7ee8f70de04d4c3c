import { type Authenticate, createServer, type SecurityEvent, type Server } from '@switchyard/server';
import {
  assertScopes,
  protectedResource,
  type ProtectedResource,
  type ProtectedResourceOptions,
} from '@switchyard/server/authorization';

import { type HttpAnswer, messageOf, openNodeRoute, postOf, type routes } from '../http-route.ts';
import { createRecorder } from '../recorder.ts';
import { callOf } from '../wire.ts';
import { jwtResource } from './open-authorization-server.ts';

/** A server that lets in who has a token. */
export interface Protected {
  readonly events: SecurityEvent[];
  /** Everything that the server logged, as one text. */
  logged(): string;
  /** Which principals the tool `who` saw, in order. */
  readonly seen: unknown[];
  /** Calls a tool, default `who`, with headers. */
  call(headers: { readonly [name: string]: string | undefined }, tool?: string, path?: string): Promise<HttpAnswer>;
  /** Calls a tool with a bearer token. */
  bear(token: string, tool?: string): Promise<HttpAnswer>;
}

/** Makes the resource that the tests protect. */
export function resourceOf(issuer: string, more: Partial<ProtectedResourceOptions> = {}): ProtectedResource {
  return protectedResource({
    resource: jwtResource,
    authorizationServers: [issuer],
    scopesSupported: ['orders:read'],
    implies: { 'orders:admin': ['orders:write'], 'orders:write': ['orders:read'] },
    ...more,
  });
}

/** A server whose tool `who` tells the principal, and whose `write` and `report` take scopes. */
export function createScoped(seen: unknown[], log = createRecorder()): Server {
  const server = createServer({ name: 'who', version: '1.0.0' }, { logger: log });
  server.tool('who', {}, (_, { principal }) => {
    seen.push(principal);
    return { principal: principal ?? null };
  });
  server.tool('read', {}, (_, { principal }) => {
    assertScopes(principal, ['orders:read']);
    return 'read';
  });
  server.tool('write', {}, (_, { principal }) => {
    assertScopes(principal, ['orders:read', 'orders:write']);
    return 'written';
  });
  return server;
}

/** Serves the tools until the test is over. */
export async function openProtected(
  authenticate: Authenticate,
  options: { readonly resource?: ProtectedResource; readonly open?: (typeof routes)[number][1] } = {},
): Promise<Protected> {
  const { resource, open = openNodeRoute } = options;
  const log = createRecorder();
  const seen: unknown[] = [];
  const events: SecurityEvent[] = [];
  const route = await open(createScoped(seen, log), {
    authenticate,
    ...(resource === undefined ? {} : { protectedResource: resource }),
    onSecurityEvent: (event) => events.push(event),
  });
  const call: Protected['call'] = (headers, tool = 'who', path) =>
    route.call({ ...postOf(callOf(tool), headers), ...(path === undefined ? {} : { path }) });
  return {
    events,
    seen,
    logged: () =>
      JSON.stringify(log.lines, (_, value: unknown) => (value instanceof Error ? String(value.stack) : value)),
    call,
    bear: (token, tool) => call({ authorization: `Bearer ${token}` }, tool),
  };
}

/** The principal that an answer of `who` tells. */
export function principalOf(answer: HttpAnswer): unknown {
  const { structuredContent } = messageOf(answer).result as {
    readonly structuredContent: { readonly principal: unknown };
  };
  return structuredContent.principal;
}

/** The challenges of an answer: scheme and parameters. Throws where a parameter stands twice in one. */
export function challengesOf(
  answer: HttpAnswer,
): readonly { readonly scheme: string; readonly [name: string]: string }[] {
  const challenges: { scheme: string; [name: string]: string }[] = [];
  const header = answer.headers['www-authenticate'] ?? '';
  for (const [, scheme, name = '', value = ''] of header.matchAll(
    /(?:^|, )(?:([A-Za-z]+)(?: |$))?(?:([a-z_]+)="([^"]*)")?/g,
  )) {
    if (scheme !== undefined) challenges.push({ scheme });
    const last = challenges.at(-1);
    if (last === undefined || name === '') continue;
    if (Object.hasOwn(last, name)) throw new Error(`${name} stands twice in ${header}`);
    last[name] = value;
  }
  return challenges;
}
