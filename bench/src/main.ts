import { parseArgs } from 'node:util';

import { clientCalls } from './client-calls.ts';
import { clientLists } from './client-lists.ts';
import { httpToolsCall } from './http-tools-call.ts';
import { httpToolsList } from './http-tools-list.ts';
import type { MeasureOptions } from './measure.ts';
import type { Row } from './row.ts';
import { stdioToolsCall } from './stdio-tools-call.ts';

const benchmarks: { readonly [name: string]: (options: MeasureOptions) => Promise<readonly Row[]> } = {
  'http-tools-call': httpToolsCall,
  'http-tools-list': httpToolsList,
  'stdio-tools-call': stdioToolsCall,
  'client-calls': clientCalls,
  'client-lists': clientLists,
};

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
  },
});

const names = values.only?.split(',') ?? Object.keys(benchmarks);
const rows: Row[] = [];
for (const name of names) {
  const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
  if (benchmark === undefined) {
    console.error(`no benchmark ${name}; there are: ${Object.keys(benchmarks).join(', ')}`);
    process.exit(2);
  }
  const onRound = (round: number): void =>
    void process.stderr.write(`${name}: ${round === 0 ? 'warming up' : `round ${round} of ${values.rounds}`}\n`);
  rows.push(...(await benchmark({ rounds: Number(values.rounds), seconds: Number(values.seconds), onRound })));
}

if (values.json) console.log(JSON.stringify(rows, null, 2));
else {
  console.table(rows.map(toLine));
  console.log(
    `node ${process.version}, ${values.rounds} interleaved rounds of ${values.seconds} s, medians; low and high with --json`,
  );
}

function toLine(row: Row): Record<string, string | number> {
  const rounded = (value: number | null): string =>
    value === null ? '' : value < 0.1 ? value.toPrecision(2) : value.toFixed(value < 100 ? 2 : 0);
  return {
    name: row.name,
    unit: row.unit,
    ours: rounded(row.ours),
    floor: rounded(row.floor),
    peer: rounded(row.peer),
    'to floor': rounded(row.ratioToFloor),
    'to peer': rounded(row.ratioToPeer),
  };
}
