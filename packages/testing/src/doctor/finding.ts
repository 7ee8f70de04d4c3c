/** How one question was answered. `unknown` could not be told, `skipped` did not apply or was not reached. */
export type StepVerdict = 'ok' | 'failed' | 'skipped' | 'unknown';

/** What a step found. */
export interface Finding {
  readonly verdict: StepVerdict;
  /** What was seen, in one sentence of our own. */
  readonly saw: string;
  /** What shows it: excerpts of what came, each one line, cleaned, without credentials and bounded. */
  readonly evidence?: readonly string[];
  /** What to do, in a sentence or as a command to paste; with `failed`, always. */
  readonly fix?: string;
}

/** The question is answered with yes. */
export function ok(saw: string, evidence: readonly string[] = []): Finding {
  return { verdict: 'ok', saw, evidence };
}

/** The cause: the doctor stops here. */
export function cause(saw: string, evidence: readonly string[], fix: string): Finding {
  return { verdict: 'failed', saw, evidence, fix };
}

/** The question does not arise. */
export function skipped(saw: string): Finding {
  return { verdict: 'skipped', saw };
}

/** It could not be told; the doctor goes on. */
export function unknown(saw: string, evidence: readonly string[] = []): Finding {
  return { verdict: 'unknown', saw, evidence };
}
