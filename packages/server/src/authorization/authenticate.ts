import type { Principal } from '@switchyard/protocol';

import type { HttpHead } from '../exchange/http-exchange.ts';
import type { CallerFacts } from './security-event.ts';

/**
 * Establishes who sends a request, from its head alone. It answers a principal, of which handlers get a frozen copy;
 * `'anonymous'`, which lets the caller in without one; a challenge, which refuses; or `undefined`, which refuses with
 * 401. A thrown `ProtocolError` refuses with its own status (500 where that is below 400), headers and message,
 * anything else thrown with 500 and a reference under which it is logged, as far as no more than ten such lines a
 * second are.
 */
export type Authenticate = (head: HttpHead) => Authenticated | Promise<Authenticated>;

/** What {@link Authenticate} answers. */
export type Authenticated = Principal | 'anonymous' | Challenge | undefined;

/** A refusal that tells the caller how to authenticate. Spec: RFC 9110 section 11.6.1. */
export interface Challenge {
  /** 401: no valid credentials; 403: valid ones that do not suffice; 400: ones that break a rule of their form. */
  readonly status: 400 | 401 | 403;
  /** One challenge or several, each as it stands in the header, for example `Bearer scope="orders:read"`. */
  readonly wwwAuthenticate: string | readonly string[];
  /** One sentence for the caller. */
  readonly message?: string;
  /** Further headers by lower-case name, for example `dpop-nonce`. */
  readonly headers?: { readonly [name: string]: string };
  /** Why, for `onSecurityEvent`; never sent. Default `refused`. */
  readonly reason?: string;
  /** Who it is that is refused, for `onSecurityEvent`; never sent. */
  readonly about?: CallerFacts;
  /**
   * Whether the credentials, if there are any, are of a kind that this hook does not know, so that another of `anyOf`
   * may.
   */
  readonly foreign?: boolean;
}

/** Answers whether it is a challenge, which alone names `wwwAuthenticate`. */
export function isChallenge(authenticated: object): authenticated is Challenge {
  return 'wwwAuthenticate' in authenticated;
}
