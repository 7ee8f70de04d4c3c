import { createServer, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import {
  connectInMemory,
  createRawClient,
  createScriptedServer,
  finishRounds,
  openRawConnection,
  type RawClient,
  runChecks,
  runSnapshotPlan,
  startServerInstances,
} from '../src/index.ts';

const unknown = { zzz: 1 } as object as never;
const server = createServer({ name: 'a', version: '1' }, { logger: silentLogger });

function client(): RawClient {
  return createRawClient({ transport: 'http', instances: 1, open: () => Promise.reject(new Error('never')) });
}

/** Whatever takes options, by what its error calls it. */
const takers: readonly [name: string, make: () => unknown][] = [
  ['connectInMemory', () => connectInMemory(server, unknown)],
  ['createScriptedServer', () => createScriptedServer(unknown)],
  ['createRawClient', () => createRawClient(unknown)],
  ['the request of a raw client', () => client().send('a', {}, unknown)],
  ['openRawConnection', () => openRawConnection({ url: 'http://127.0.0.1:1/' }, unknown)],
  ['runChecks', () => runChecks(client(), unknown)],
  ['startServerInstances', () => startServerInstances({ command: '', args: [], env: {}, cwd: '.' }, 1, unknown)],
  ['runSnapshotPlan', () => runSnapshotPlan({} as never, unknown)],
  ['finishRounds', () => finishRounds(client(), 'a', {} as never, {} as never, unknown)],
];

describe('an option that there is not', () => {
  it.each(takers)('is refused with a TypeError that names those that there are: %s', async (name, make) => {
    const refused = (async () => make())();
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(`${name}: there is no option "zzz"; known are `);
  });
});
