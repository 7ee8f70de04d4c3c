import { legacyOptions } from './legacy/legacy-clients.ts';
import { serverOptions } from './server-options.ts';

/** Options that are easily given to what serves a server in place of the function that takes them, by its name. */
export const optionOwners: { readonly [owner: string]: object } = {
  createServer: serverOptions,
  legacyClients: legacyOptions,
};
