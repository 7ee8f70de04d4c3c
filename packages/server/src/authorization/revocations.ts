import { assertKnownOptions, type KnownOptions, toBound } from '@switchyard/protocol';

import { MAX_TOLERANCE_MS, toClockToleranceMs } from './clock-tolerance.ts';
import { EndingEntries } from './ending-entries.ts';
import { toEpochMs } from './epoch-time.ts';

/** What is known of a verified token when it is asked whether it was revoked. */
export interface RevocableToken {
  readonly subject: string;
  readonly issuer?: string;
  readonly clientId?: string;
  /** Its `jti`; without one, it can be revoked by its subject only. */
  readonly tokenId?: string;
  /** In milliseconds since 1970. */
  readonly issuedAtMs?: number;
}

/** Knows which tokens no longer count before they end. Anything but `false`, an error included, refuses the token. */
export interface RevocationCheck {
  isRevoked(token: RevocableToken): boolean | Promise<boolean>;
}

/** Revocations in memory, of the tokens of one issuer. */
export interface Revocations extends RevocationCheck {
  /**
   * Revokes one token, by its `jti`, until the time in milliseconds since 1970 when it ends by itself; of several, the
   * latest counts. Throws RangeError when full.
   */
  revokeToken(tokenId: string, untilMs: number): void;
  /**
   * Revokes all tokens of a subject that were issued before a time, in milliseconds since 1970; ones that do not say
   * when they were issued, too. A token of the same second counts as older. `beforeMs` is by the issuer's clock;
   * default now, and as much later as clocks may be apart, so that a token which the subject gets within that time is
   * revoked as well. `untilMs` ends the entry; default never. Throws RangeError when full.
   */
  revokeSubject(subject: string, options?: { readonly beforeMs?: number; readonly untilMs?: number }): void;
}

/** Options of {@link createRevocations}. */
export interface RevocationsOptions {
  /** How many tokens, and how many subjects, are held: default 100,000 each. */
  readonly maxEntries?: number;
  /** How far the issuer's clock and this one may be apart, in milliseconds: default 5,000, at most 300,000. */
  readonly clockToleranceMs?: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly epochNow?: () => number;
}

const revocationsOptions: KnownOptions<RevocationsOptions> = {
  maxEntries: true,
  clockToleranceMs: true,
  epochNow: true,
};

/**
 * Keeps revocations in memory. When full it throws: a forgotten revocation would let a token in again.
 *
 * @throws TypeError when an option is unknown, `maxEntries` is no number of at least 1, or `clockToleranceMs` is out of
 *   range.
 */
export function createRevocations(options: RevocationsOptions = {}): Revocations {
  assertKnownOptions('createRevocations', options, revocationsOptions);
  const { epochNow = Date.now } = options;
  const maxEntries = toBound('maxEntries', options.maxEntries ?? 100_000);
  const clockToleranceMs = toClockToleranceMs(options.clockToleranceMs);
  const tokens = new EndingEntries<{ readonly untilMs: number }>(maxEntries, endOf);
  const subjects = new EndingEntries<{ readonly untilMs: number; readonly beforeMs: number }>(maxEntries, endOf);

  function take<T>(entries: EndingEntries<T>, key: string, entry: T): void {
    if (!entries.set(key, entry, epochNow()))
      throw new RangeError(`${maxEntries} revocations are held: nothing was revoked`);
  }

  return {
    revokeToken(tokenId, untilMs) {
      const endMs = toEpochMs('untilMs', untilMs) + MAX_TOLERANCE_MS;
      take(tokens, tokenId, { untilMs: Math.max(endMs, tokens.get(tokenId)?.untilMs ?? endMs) });
    },
    revokeSubject(subject, options = {}) {
      assertKnownOptions('revokeSubject', options, { beforeMs: true, untilMs: true });
      const { beforeMs = epochNow() + clockToleranceMs, untilMs = Infinity } = options;
      const held = subjects.get(subject);
      take(subjects, subject, {
        beforeMs: Math.max(toEpochMs('beforeMs', beforeMs), held?.beforeMs ?? beforeMs),
        untilMs: Math.max(toEpochMs('untilMs', untilMs), held?.untilMs ?? untilMs),
      });
    },
    isRevoked({ subject, tokenId, issuedAtMs = -Infinity }) {
      const now = epochNow();
      const token = tokenId === undefined ? undefined : tokens.get(tokenId);
      if (token !== undefined && token.untilMs > now) return true;
      const revoked = subjects.get(subject);
      return revoked !== undefined && revoked.untilMs > now && issuedAtMs < revoked.beforeMs;
    },
  };
}

function endOf({ untilMs }: { readonly untilMs: number }): number {
  return untilMs;
}
