import type { Environment } from '@switchyard/config';

/** What the host takes from outside instead of reaching for it, so that a test can decide it. */
export interface Surroundings {
  /**
   * The environment that `${NAME}` of a configuration is looked up in, and that a server's minimal one is taken from.
   */
  readonly env: Environment;
  /** Milliseconds since 1970, for records; the clock of the machine may be set back. */
  epochNow(): number;
  /** Milliseconds that only ever grow, for durations and deadlines; the origin does not matter. */
  now(): number;
  /** Runs `task` once after `delayMs`; the answer calls it off. */
  after(delayMs: number, task: () => void): () => void;
  randomBytes(size: number): Uint8Array;
}
