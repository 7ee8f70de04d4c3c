import process from 'node:process';

import type { EndpointDefaults } from '../assembly/create-endpoint.ts';
import { createPinoLogger } from './pino-logger.ts';
import { stateKeysFromEnvironment } from './state-keys.ts';

/** What Node gives an endpoint that its author did not choose: logs on standard error, keys from the environment. */
export function nodeDefaults(): EndpointDefaults {
  const stateKeys = stateKeysFromEnvironment();
  return {
    logger: createPinoLogger(),
    development: process.env['NODE_ENV'] !== 'production',
    ...(stateKeys === undefined ? {} : { stateKeys }),
  };
}
