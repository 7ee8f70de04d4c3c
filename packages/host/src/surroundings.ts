/** What the host takes from outside instead of reaching for it, so that a test can decide it. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `task` once after `delayMs`; the answer calls it off. */
  after(delayMs: number, task: () => void): () => void;
  randomBytes(size: number): Uint8Array;
}
