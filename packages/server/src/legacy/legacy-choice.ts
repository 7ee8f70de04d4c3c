import type { LegacyAdapter } from './adapter.ts';
import { legacyClients } from './legacy-clients.ts';

/** Whether a server that is served takes old clients. */
export interface LegacyChoice {
  /**
   * Lets clients of the revisions before 2026-07-28 in. Default: `legacyClients()`; `false` leaves them out: to `initialize` they get an error
   * that names the versions, and over HTTP 405 to GET and DELETE.
   */
  readonly legacy?: LegacyAdapter | false;
}

/** Answers the choice as whatever serves an endpoint takes it: with the default filled in, and no adapter for no old clients. */
export function chosenLegacy(legacy: LegacyAdapter | false = legacyClients()): { readonly legacy?: LegacyAdapter } {
  return legacy === false ? {} : { legacy };
}
