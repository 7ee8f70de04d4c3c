import type { Refusal } from '../http/credentials.ts';

/**
 * Creates the function that answers what was tried for the request of a refusal, as `begin` answers it for a new one. It
 * belongs to one request and its repetitions: a stream that is taken up again is another request under the same signal,
 * which a refusal that counts its predecessors (`refusals`) tells apart.
 */
export function createAttempts<T extends object>(begin: () => T): (refusal: Pick<Refusal, 'signal' | 'refusals'>) => T {
  const attempts = new WeakMap<AbortSignal, T>();
  return ({ signal, refusals }) => {
    const known = refusals === 0 ? undefined : attempts.get(signal);
    if (known !== undefined) return known;
    const made = begin();
    attempts.set(signal, made);
    return made;
  };
}
