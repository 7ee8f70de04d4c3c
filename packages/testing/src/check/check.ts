import type { Probe } from './probe.ts';
import type { CheckSite } from './site.ts';

/** What one of the ten boundary checks is about. */
export interface CheckDescription {
  readonly number: number;
  /** One or two words in kebab-case, for files and filters. */
  readonly name: string;
  readonly title: string;
  /** What the specification asks, in a sentence of our own. */
  readonly asks: string;
  /** Where it asks: pages of revision 2026-07-28 with anchors. */
  readonly spec: readonly string[];
}

/** One of the ten boundary checks. */
export interface Check extends CheckDescription {
  /** Answers what was found. Rejects with a RawConnectionError when the server cannot be asked. */
  run(site: CheckSite): Promise<readonly Probe[]>;
}
