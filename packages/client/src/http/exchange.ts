import { isJsonObject, methodOf } from '@switchyard/protocol';
import type { HeaderFields, Principal } from '../message/connection.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Hold } from '../timing/hold.ts';
import type { JoinedCredentials, JoinedFields } from './join-credentials.ts';
import { dropBody } from './drop-body.ts';
import { failedFetch } from './failed-fetch.ts';
import type { FetchPool, FetchResponse } from './fetch.ts';

/** One HTTP request to the server's origin. */
export interface ExchangeRequest {
  readonly httpMethod: 'POST' | 'GET' | 'DELETE';
  /** The URL, where it is not that of the endpoint. */
  readonly url?: string;
  /** What it is called in an error. */
  readonly what: string;
  /** A message as JSON. */
  readonly body?: string;
  /** As `Refusal.operation`; asked only when a request is refused. Default: `what`. */
  readonly operation?: () => string;
  readonly accept: string;
  /** Headers of this request; they win over those of the credentials. */
  readonly headers?: HeaderFields | undefined;
  readonly signal: AbortSignal;
  readonly hold?: Hold | undefined;
  /** As `RequestOptions.onSentAs`. */
  readonly onSentAs?: ((principal: Principal) => void) | undefined;
}

/** What exchanges go through. */
export interface ExchangeSetup {
  readonly context: PeerContext;
  readonly pool: FetchPool;
  readonly credentials: JoinedCredentials;
  readonly url: string;
  /** The URL for messages. */
  readonly shown: string;
}

/** Credentials bound their attempts by themselves; this bounds those that do not. */
const MAX_REFUSALS = 5;

/**
 * Makes one HTTP request with the fields of the credentials, and again while it is refused with 401 or 403 and they
 * have something better to offer: what is refused was not executed. Answers the response with its body unread. Rejects
 * with a `ClientError` (`connect-failed`: nothing was sent; `closed`: it may have been), or the signal's reason.
 */
export async function exchange(setup: ExchangeSetup, request: ExchangeRequest): Promise<FetchResponse> {
  const { context, pool, credentials, shown } = setup;
  const { httpMethod, url = setup.url, what, operation, signal, hold, onSentAs } = request;
  const body = request.body === undefined ? {} : { body: request.body };
  for (let refusals = 0; ; refusals += 1) {
    signal.throwIfAborted();
    const asked = credentials.fieldsFor({ httpMethod, url, signal, hold });
    const known = asked instanceof Promise ? await asked : asked;
    const principal = onSentAs && credentials.principal(known);
    let response: FetchResponse;
    try {
      response = await pool.fetch(url, {
        method: httpMethod,
        headers: headersOf(request, known),
        ...body,
        signal,
        redirect: 'manual',
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw failedFetch(context, { shown, what, error, isExact: pool.saysWhatWasSent === true });
    }
    const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    credentials.onResponse(header);
    const { status } = response;
    // The end of a session is a courtesy, for which nobody is asked to sign in.
    if ((status !== 401 && status !== 403) || httpMethod === 'DELETE' || refusals >= MAX_REFUSALS) {
      onSentAs?.(principal);
      return response;
    }
    const refusal = { status, header, challenge: header('www-authenticate') ?? '', operation: operation?.() ?? what };
    if (!(await credentials.onRefusal({ ...refusal, refusals, signal, hold }, known))) return response;
    dropBody(response.body);
  }
}

function headersOf({ accept, body, headers }: ExchangeRequest, { fields }: JoinedFields): { [name: string]: string } {
  const all: { [name: string]: string } = { ...fields, accept };
  if (body !== undefined) all['content-type'] = 'application/json';
  for (const name in headers) all[name.toLowerCase()] = headers[name] ?? '';
  return all;
}

/** Answers what a request asks for, with the name of what it is about where it has one: `tools/call add`. */
export function operationOf(method: string, params: unknown): string {
  const source = methodOf(method)?.nameFrom;
  const name = source === undefined || !isJsonObject(params) ? undefined : params[source];
  return typeof name === 'string' ? `${method} ${name}` : method;
}
