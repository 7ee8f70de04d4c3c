import { type Principal, ProtocolError } from '@switchyard/protocol';

import { callerKey } from '../caller-key.ts';

/** The longest request that stays open, in characters: it is held as long as it is open, and there may be thousands of them. */
export const MAX_OPEN_REQUEST_CHARS = 128 * 1024;

/** How many requests that stay open (`subscriptions/listen`) there may be. */
export interface OpenStreamOptions {
  /** Of all callers together: default 10,000; `Infinity` for any. One more gets 503 with `Retry-After` and -32603. */
  readonly maxOpenStreams?: number;
  /** Of one authenticated caller: default 1,000; `Infinity` for any. */
  readonly maxOpenStreamsPerPrincipal?: number;
}

/** Counts the requests that stay open. */
export interface OpenStreams {
  /** Counts one more and answers the function that ends it, or the error for one too many. */
  open(principal: Principal | undefined): (() => void) | ProtocolError;
}

/** @throws TypeError when a limit is no number of at least 1. */
export function createOpenStreams(options: OpenStreamOptions): OpenStreams {
  const maxOpen = toMost('maxOpenStreams', options.maxOpenStreams ?? 10_000);
  const maxOfOne = toMost('maxOpenStreamsPerPrincipal', options.maxOpenStreamsPerPrincipal ?? 1_000);
  const byCaller = new Map<string, number>();
  let total = 0;
  return {
    open(principal) {
      const caller = principal === undefined ? undefined : callerKey(principal);
      const own = caller === undefined ? 0 : (byCaller.get(caller) ?? 0);
      if (total >= maxOpen || own >= maxOfOne) {
        return new ProtocolError(
          'internalError',
          `Too many open subscriptions: at most ${total >= maxOpen ? maxOpen : maxOfOne} may be open; end one first`,
          { status: 503, headers: { 'retry-after': '1' } },
        );
      }
      total += 1;
      if (caller !== undefined) byCaller.set(caller, own + 1);
      return () => {
        total -= 1;
        if (caller === undefined) return;
        const left = (byCaller.get(caller) ?? 1) - 1;
        if (left === 0) byCaller.delete(caller);
        else byCaller.set(caller, left);
      };
    },
  };
}

function toMost(name: string, given: number): number {
  if (typeof given === 'number' && given >= 1) return given;
  throw new TypeError(`${name} must be a number of at least 1, not ${String(given)}`);
}
