import { stringifyJson } from '@switchyard/protocol';
import type { ExplainedDifferences, TranscriptDifference } from '@switchyard/testing';
import { cleanLine } from '../terminal.ts';
import { countOf } from './count-of.ts';

const MAX_VALUE_CHARS = 200;
const MAX_SHOWN = 1_000;

/** Answers differences as text: those without a reason first, by exchange, then the reasons of the others. */
export function showDifferences({ unexplained, explained, unused }: ExplainedDifferences): string {
  if (unexplained.length + explained.length + unused.length === 0) return 'The transcripts are the same.';
  const open = [...Map.groupBy(unexplained.slice(0, MAX_SHOWN), ({ label }) => label)].map(([label, differences]) =>
    [cleanLine(label), ...differences.map(showDifference)].join('\n'),
  );
  const known = [...Map.groupBy(explained, ({ because }) => because)].map(
    ([because, differences]) => `explained (${differences.length}): ${cleanLine(because)}`,
  );
  const gone = unused.map(({ path, because }) => `explains nothing: ${cleanLine(path)}: ${cleanLine(because)}`);
  const total = `${countOf(unexplained.length, 'difference')} without a reason, ${explained.length} with one, ${countOf(unused.length, 'reason')} without a difference.`;
  const more = unexplained.length - MAX_SHOWN;
  return [
    ...open,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(known.length === 0 ? [] : [known.join('\n')]),
    ...(gone.length === 0 ? [] : [gone.join('\n')]),
    total,
  ].join('\n\n');
}

function showDifference({ path, kind, before, after }: TranscriptDifference): string {
  const sign = { added: '+', removed: '-', changed: '~' }[kind];
  const values = [...(kind === 'added' ? [] : [before]), ...(kind === 'removed' ? [] : [after])].map(showValue);
  return `  ${sign} ${cleanLine(path)}: ${values.join(' → ')}`;
}

function showValue(value: unknown): string {
  return cleanLine(stringifyJson(value) ?? 'nothing', MAX_VALUE_CHARS);
}
