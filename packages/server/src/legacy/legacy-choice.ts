import type { LegacyAdapter } from '../dispatch/legacy-adapter.ts';
import { legacyClients } from './legacy-clients.ts';

/**
 * Answers the choice as whatever serves an endpoint takes it: with the default filled in, and no adapter for no old
 * clients.
 */
export function chosenLegacy(legacy: LegacyAdapter | false = legacyClients()): { readonly legacy?: LegacyAdapter } {
  return legacy === false ? {} : { legacy };
}
