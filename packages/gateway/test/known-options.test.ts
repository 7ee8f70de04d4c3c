import { type Host, openHost } from '@switchyard/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createGateway, serveGateway, serveGatewayStdio } from '../src/index.ts';

const unknown = { zzz: 1 } as object as never;
let host: Host;

beforeAll(async () => {
  host = await openHost({}, { audit: 'memory', env: {}, cwd: '/nowhere' });
});

afterAll(() => host.close());

/** Whatever takes options, by what its error calls it. */
const takers: readonly [name: string, make: () => unknown][] = [
  ['createGateway', () => createGateway(host, unknown)],
  ['serveGateway', () => serveGateway(host, unknown)],
  ['serveGatewayStdio', () => serveGatewayStdio(host, unknown)],
];

describe('an option that there is not', () => {
  it.each(takers)('is refused with a TypeError that names those that there are: %s', async (name, make) => {
    const refused = (async () => make())();
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(`${name}: there is no option "zzz"; known are `);
  });

  it.each([
    ['serveGateway', serveGateway],
    ['serveGatewayStdio', serveGatewayStdio],
  ] as const)('is refused where the transport settles it: %s', async (name, serve) => {
    await expect(serve(host, { mirrorsArguments: false } as object)).rejects.toThrow(
      `${name}: there is no option "mirrorsArguments"; that is an option of createGateway`,
    );
  });
});
