import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { root } from './run.ts';
import { calls } from './soak/calls.ts';
import { clientStarts } from './soak/client-starts.ts';
import { fleet } from './soak/fleet.ts';
import { fuzzHeaders } from './soak/fuzz-headers.ts';
import { fuzzHttp } from './soak/fuzz-http.ts';
import { fuzzStdio } from './soak/fuzz-stdio.ts';
import { listenStreams } from './soak/listen-streams.ts';
import { readSegments } from './soak/read-segments.ts';
import { restarts } from './soak/restarts.ts';
import { serverCalls } from './soak/server-calls.ts';
import type { Soak } from './soak/soak.ts';

const soaks: { readonly [name: string]: Soak } = {
  calls,
  'client-starts': clientStarts,
  fleet,
  'fuzz-headers': fuzzHeaders,
  'fuzz-http': fuzzHttp,
  'fuzz-stdio': fuzzStdio,
  'listen-streams': listenStreams,
  'read-segments': readSegments,
  restarts,
  'server-calls': serverCalls,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '20260728' }, amount: { type: 'string' } },
});
const [name = ''] = positionals;
const soak = Object.hasOwn(soaks, name) ? soaks[name] : undefined;
if (soak === undefined) {
  console.error(`npm run soak -- NAME [--seed N] [--amount N], where NAME is one of: ${Object.keys(soaks).join(', ')}`);
  process.exit(2);
}

const started = performance.now();
const seed = Number(values.seed);
const amount = Number(values.amount ?? soak.amount);
const { ok, found } = await soak.run({ seed, amount, progress: (line) => process.stderr.write(`${line}\n`) });
const result = {
  soak: name,
  what: soak.what,
  ok,
  seed,
  amount,
  seconds: Math.round((performance.now() - started) / 1000),
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  found,
};
const folder = join(root, 'docs/evidence');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, `soak-${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
console.log(JSON.stringify(result, null, 2));
process.exit(ok ? 0 : 1);
