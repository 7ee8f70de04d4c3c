/** One long run. The same seed and amount do the same work. */
export interface Soak {
  readonly what: string;
  /** How much work it does unless told otherwise. */
  readonly amount: number;
  run(options: {
    readonly seed: number;
    readonly amount: number;
    progress(line: string): void;
  }): Promise<{ readonly ok: boolean; readonly found: object }>;
}
