import { expect, test } from 'vitest';

import { fleet } from '../soak/fleet.ts';
import { fuzzHeaders } from '../soak/fuzz-headers.ts';
import { fuzzHttp } from '../soak/fuzz-http.ts';
import { fuzzStdio } from '../soak/fuzz-stdio.ts';
import { listenStreams } from '../soak/listen-streams.ts';
import type { Soak } from '../soak/soak.ts';

const short: readonly (readonly [string, Soak, number])[] = [
  ['[MRTR-17] [MRTR-22] fleet', fleet, 200],
  ['fuzz-headers', fuzzHeaders, 0.5],
  ['fuzz-http', fuzzHttp, 0.5],
  ['fuzz-stdio', fuzzStdio, 0.5],
  ['listen-streams', listenStreams, 50],
];

test.each(short)('the long run %s holds when it is short', async (_name, soak, amount) => {
  const { ok, found } = await soak.run({ seed: 1, amount, progress: () => undefined });
  expect({ ok, found }).toMatchObject({ ok: true });
});
