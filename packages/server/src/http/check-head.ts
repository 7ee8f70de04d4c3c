import type { HttpExchange, HttpHeaders } from '../exchange/http-exchange.ts';
import type { LegacyHttp } from '../dispatch/legacy-adapter.ts';
import type { Admission } from './admission.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { mediaTypeProblem } from './media-type.ts';
import { createOriginPolicy, type OriginOptions } from './origin-policy.ts';
import type { TurnAway } from './turn-away.ts';

/**
 * Checks what the head of a request says, before anybody asks who sends it: `Host` and `Origin` (403), method (405),
 * media type (415). Answers the headers that let the page of its origin read the response, or `answered` when it was
 * refused, or was the question of a browser that comes before the request.
 */
export type CheckHead = (exchange: HttpExchange) => HttpHeaders | 'answered' | undefined;

/** @throws TypeError when an allowed host or origin is none. */
export function createCheckHead(
  options: OriginOptions,
  site: { readonly admission: Admission; readonly turnAway: TurnAway; readonly legacy: LegacyHttp | undefined },
): CheckHead {
  const { admission, turnAway, legacy } = site;
  const refusesOrigin = createOriginPolicy(options);
  return (exchange) => {
    const { head } = exchange;
    const forbidden = refusesOrigin(head);
    if (forbidden !== undefined) {
      admission.reportForbidden(head, 'host-or-origin');
      return turnAway(exchange, 403, forbidden);
    }
    const cors = corsHeaders(head);
    if (head.method === 'POST') {
      const unsupported = mediaTypeProblem(head);
      return unsupported === undefined ? cors : turnAway(exchange, 415, unsupported, cors);
    }
    if (head.method === 'OPTIONS' && cors !== undefined) {
      exchange.reply(204, { ...cors, ...preflightHeaders(head) }, '');
      return 'answered';
    }
    if (legacy?.takes(head) === true) return cors;
    const problem =
      legacy === undefined
        ? `The endpoint takes POST only; it keeps no session and no stream to ${head.method}`
        : `The endpoint takes POST, and of the sessions of older revisions GET and DELETE; not this ${head.method}`;
    return turnAway(exchange, 405, problem, { allow: legacy === undefined ? 'POST' : 'POST, GET, DELETE' });
  };
}
