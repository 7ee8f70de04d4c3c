import { parseArgs } from 'node:util';

import { httpToolsCall } from './http-tools-call.ts';
import type { Row } from './row.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
  },
});

const rows = await httpToolsCall({
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  onRound: (round) => process.stderr.write(round === 0 ? 'warming up\n' : `round ${round} of ${values.rounds}\n`),
});

if (values.json) console.log(JSON.stringify(rows, null, 2));
else {
  console.table(rows.map(toLine));
  console.log(
    `node ${process.version}, ${values.rounds} interleaved rounds of ${values.seconds} s, medians; low and high with --json`,
  );
}

function toLine(row: Row): Record<string, string | number> {
  const rounded = (value: number | null): string => (value === null ? '' : value.toFixed(value < 100 ? 2 : 0));
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
