import type { Fetch, FetchInit } from '../../src/index.ts';
import type { HttpCredentials } from '../../src/index.ts';
import type { Redirect } from '../../src/authorization/index.ts';

/** One request that somebody sent; `form` is its body where that is a form. */
export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly form: URLSearchParams;
}

/** What is answered: a JSON document with 200, a status, or a whole response. */
export type Answer = Readonly<Record<string, unknown>> | number | Response;

/** A network of scripted hosts; nothing leaves the process. */
export interface World {
  readonly fetch: Fetch;
  readonly asked: Asked[];
  /** From now on a URL, compared without its query, is answered like this. Others answer 404. */
  route(url: string, answer: Answer | ((asked: Asked) => Answer)): void;
  /** The URLs that were asked for, without queries. */
  urls(): readonly string[];
}

export function createWorld(): World {
  const routes = new Map<string, Answer | ((asked: Asked) => Answer)>();
  const asked: Asked[] = [];
  return {
    asked,
    urls: () => asked.map(({ url }) => url.split('?')[0] ?? ''),
    route: (url, answer) => void routes.set(url, answer),
    fetch: async (url: string, { method, headers, body = '' }: FetchInit) => {
      const one = { url, method, headers, body, form: new URLSearchParams(body) };
      asked.push(one);
      const answer = routes.get(url.split('?')[0] ?? '') ?? 404;
      if (typeof answer === 'function') return toResponse(answer(one));
      return toResponse(answer instanceof Response ? answer.clone() : answer);
    },
  };
}

function toResponse(answer: Answer): Response {
  if (answer instanceof Response) return answer;
  return typeof answer === 'number' ? new Response('no', { status: answer }) : Response.json(answer);
}

/** A scripted authorization server and a user who agrees. */
export interface ScriptedAuthorizationServer {
  readonly issuer: string;
  /** The parameters of each authorization request, in order. */
  readonly authorizations: URLSearchParams[];
  /** The forms that the token endpoint got, in order. */
  readonly tokenRequests: URLSearchParams[];
  /** The registrations that were asked for, in order. */
  readonly registrations: Readonly<Record<string, unknown>>[];
  /** How the browser comes back; default with a code, the state and the issuer. */
  answer: (parameters: URLSearchParams) => Readonly<Record<string, string>>;
  /** What the token endpoint answers; default a new bearer token that lives for an hour and a new refresh token. */
  token: (asked: Asked) => Answer;
  readonly redirect: Redirect;
}

export interface ScriptOptions {
  readonly issuer?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly redirectUri?: string;
}

export function scriptAuthorizationServer(world: World, options: ScriptOptions = {}): ScriptedAuthorizationServer {
  const { issuer = 'https://as.kiln.test', redirectUri = 'http://127.0.0.1:7001/cb' } = options;
  let tokens = 0;
  const server: ScriptedAuthorizationServer = {
    issuer,
    authorizations: [],
    tokenRequests: [],
    registrations: [],
    answer: (parameters) => ({ code: 'an-authorization-code', state: parameters.get('state') ?? '', iss: issuer }),
    token: () => {
      tokens += 1;
      return {
        access_token: `access-token-${tokens}-of-${issuer}`,
        refresh_token: `refresh-token-${tokens}-of-${issuer}`,
        token_type: 'Bearer',
        expires_in: 3600,
      };
    },
    redirect: {
      uri: redirectUri,
      authorize(url) {
        server.authorizations.push(url.searchParams);
        return Promise.resolve(server.answer(url.searchParams));
      },
    },
  };
  const { origin, pathname } = new URL(issuer);
  world.route(`${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`, {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    ...options.metadata,
  });
  world.route(`${origin}/token`, (asked) => {
    server.tokenRequests.push(asked.form);
    return server.token(asked);
  });
  world.route(`${origin}/register`, ({ body }) => {
    server.registrations.push(JSON.parse(body) as Record<string, unknown>);
    return Response.json({ client_id: `client-of-${issuer}` }, { status: 201 });
  });
  return server;
}

/** What the scripted MCP server says to a request: `undefined` for yes. */
export type Verdict = { readonly status: 401 | 403; readonly challenge?: string; readonly nonce?: string } | undefined;

/** An MCP server as credentials see it. */
export interface Guarded {
  readonly url: string;
  /** The `Authorization` values that it got, in order; empty for none. */
  readonly seen: string[];
  /** Sends a request as the HTTP transport does, and answers the status that it ended with. */
  call(credentials: HttpCredentials, operation?: string, signal?: AbortSignal): Promise<number>;
}

const MAX_REFUSALS = 12;

export function guard(
  world: World,
  verdict: (authorization: string, operation: string, fields: Readonly<Record<string, string>>) => Verdict,
  options: { readonly url?: string; readonly metadata?: Readonly<Record<string, unknown>> | null } = {},
): Guarded {
  const { url = 'https://mcp.kiln.test/mcp', metadata = {} } = options;
  const { origin, pathname } = new URL(url);
  if (metadata !== null) {
    world.route(`${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`, {
      resource: url,
      authorization_servers: ['https://as.kiln.test'],
      ...metadata,
    });
  }
  const seen: string[] = [];
  return {
    url,
    seen,
    async call(credentials, operation = 'tools/list', signal = new AbortController().signal) {
      for (let refusals = 0; ; refusals += 1) {
        const fields = await credentials.fieldsFor({ httpMethod: 'POST', url, signal });
        seen.push(fields['authorization'] ?? '');
        const refusal = verdict(fields['authorization'] ?? '', operation, fields);
        const header = (name: string): string | undefined => (name === 'dpop-nonce' ? refusal?.nonce : undefined);
        credentials.onResponse?.(header);
        if (refusal === undefined) return 200;
        const { status, challenge = '' } = refusal;
        if (refusals >= MAX_REFUSALS) throw new Error('the credentials do not bound their attempts');
        const all = { status, challenge, header, fields, operation, refusals, signal };
        if (!(await credentials.onRefusal?.(all))) return status;
      }
    },
  };
}

/** A server that takes any token that the authorization server gave last. */
export const wantsToken = (authorization: string): Verdict =>
  authorization === '' ? { status: 401, challenge: 'Bearer' } : undefined;
