import { isLegacyRevision, isJsonObject, modernRevisions, type Revision } from '@switchyard/protocol';
import type { Session } from '../session/session.ts';

/** What was learned about a server when it was met: a JSON value that can be kept and given back as `prior`. */
export interface EraVerdict {
  readonly era: Session['era'];
  readonly revision: Revision;
  /** Present where the server is reached by the HTTP+SSE transport of revision 2024-11-05 alone. */
  readonly transport?: 'sse';
}

/**
 * Keeps verdicts by what they are about, so that clients of one server need not find out again. Both functions are
 * quick and do not throw; a verdict that proves wrong is corrected by the client that learns of it.
 */
export interface VerdictCache {
  /** Answers the verdict on what is reached (`Transport.identity`). */
  get(identity: string): EraVerdict | undefined;
  /** Keeps a verdict; `undefined` forgets it. */
  set(identity: string, verdict: EraVerdict | undefined): void;
}

const DEFAULT_MAX_ENTRIES = 1000;

/** Creates a cache in memory; over `maxEntries` (1,000) the verdict that was kept first is forgotten. */
export function createVerdictCache({ maxEntries = DEFAULT_MAX_ENTRIES } = {}): VerdictCache {
  const verdicts = new Map<string, EraVerdict>();
  return {
    get: (identity) => verdicts.get(identity),
    set(identity, verdict) {
      verdicts.delete(identity);
      if (verdict !== undefined) verdicts.set(identity, verdict);
      const [oldest] = verdicts.keys();
      if (verdicts.size > maxEntries && oldest !== undefined) verdicts.delete(oldest);
    },
  };
}

/** Reads a verdict that was kept by whoever gives it back. What is none counts as none: it would prove wrong anyway. */
export function readVerdict(value: unknown): EraVerdict | undefined {
  if (!isJsonObject(value)) return undefined;
  const { era, revision, transport } = value;
  if (era === 'modern') {
    const known = modernRevisions.find((modern) => modern === revision);
    return known === undefined ? undefined : { era, revision: known };
  }
  if (era !== 'legacy' || !isLegacyRevision(revision)) return undefined;
  return { era, revision, ...(transport === 'sse' ? { transport } : {}) };
}
