import type { Asker } from './asker.ts';

/** Who answers the requests of a legacy server. */
export interface ServerAsking {
  readonly asker: Asker;
  /** How often the time limits of one request stand still because of a question. */
  readonly maxRounds: number;
}
