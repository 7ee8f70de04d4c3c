import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Host, openHost } from '../src/index.ts';
import { openTestHost } from './open-test-host.ts';

const unknown = { zzz: 1 } as object as never;
let host: Host;

beforeAll(async () => {
  host = await openTestHost({});
});

afterAll(() => host.close());

/** Whatever takes options, by what its error calls it. */
const takers: readonly [name: string, make: () => unknown][] = [
  ['openHost', () => openHost({}, unknown)],
  ['host.as', () => host.as('reader', unknown)],
  ['the list of an agent', () => host.as('reader').tools(unknown)],
  ['agent.tool', () => host.as('reader').tool('a', unknown)],
  ['the call of an agent', () => host.as('reader').call('a', {}, unknown)],
  ['the call of an agent', () => host.as('reader').read('a://a', unknown)],
  [
    'the call of an agent',
    () => host.as('reader').invoke({ method: 'resources/read', params: { uri: 'a://a' } }, unknown),
  ],
];

describe('an option that there is not', () => {
  it.each(takers)('is refused with a TypeError that names those that there are: %s', async (name, make) => {
    const refused = (async () => make())();
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(`${name}: there is no option "zzz"; known are `);
  });
});
