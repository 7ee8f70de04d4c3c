import type { JsonObject } from '@switchyard/protocol';

import type { StepVerdict } from './finding.ts';

/** What one step of a diagnosis says. */
export interface StepReport {
  readonly id: string;
  readonly question: string;
  readonly verdict: StepVerdict;
  /** What was seen, in one sentence. */
  readonly saw: string;
  /** Excerpts of what came, each one line, cleaned, without credentials, at most 300 characters. */
  readonly evidence: readonly string[];
  /** What to do; only with `failed`. */
  readonly fix?: string;
}

/** What was found of a server. */
export interface Diagnosis {
  readonly transport: 'http' | 'stdio';
  /** What the server calls itself, where it came to that: text from outside. */
  readonly server?: JsonObject;
  /** The id of the step that failed; absent where all is well. */
  readonly cause?: string;
  /** Every step that the transport has, in order. Those behind the cause were not run, and are `skipped`. */
  readonly steps: readonly StepReport[];
}
