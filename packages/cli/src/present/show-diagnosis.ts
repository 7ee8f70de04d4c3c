import type { Diagnosis, StepReport } from '@switchyard/testing';
import { cleanLine, type Style, type Terminal } from '../terminal.ts';
import { alignColumns } from './columns.ts';

const MAX_NAME_CHARS = 80;
/** As long as an excerpt can be with what stands before it. */
const MAX_LINE_CHARS = 600;

const styles: { readonly [verdict in StepReport['verdict']]: Style } = {
  ok: 'green',
  failed: 'red',
  skipped: 'dim',
  unknown: 'yellow',
};

/**
 * Answers a diagnosis as text for a person: the questions with their answers up to the cause, then what shows it and
 * what to do. With `verbose` the questions that were skipped as well.
 */
export function showDiagnosis(
  { transport, server, cause, steps }: Diagnosis,
  { verbose = false }: { readonly verbose?: boolean },
  { style }: Pick<Terminal, 'style'>,
): string {
  const name = [server?.['name'], server?.['version']].filter((part) => typeof part === 'string').join(' ');
  const who = name === '' ? 'The server' : cleanLine(name, MAX_NAME_CHARS);
  const title = `${who} over ${transport === 'http' ? 'HTTP' : 'stdio'}`;
  const shown = steps.filter(({ verdict }) => verbose || verdict !== 'skipped');
  const rows = alignColumns(
    shown.map(({ verdict, question, saw }) => [verdict, question, cleanLine(saw, MAX_LINE_CHARS)]),
  );
  const lines = shown.flatMap(({ verdict, id, evidence }, index) => {
    const row = (rows[index] ?? '').replace(verdict, style(styles[verdict], verdict));
    return [row].concat(id === cause ? [] : evidence.map((line) => `         ${cleanLine(line, MAX_LINE_CHARS)}`));
  });
  return [style('bold', title), lines.join('\n'), endOf(steps, cause, style)].join('\n\n');
}

function endOf(steps: readonly StepReport[], cause: string | undefined, style: Terminal['style']): string {
  const found = steps.find(({ id }) => id === cause);
  if (found === undefined) {
    const open = steps.filter(({ verdict }) => verdict === 'unknown').length;
    return open === 0
      ? 'No cause was found: all is well.'
      : `No cause was found; ${open} of the questions could not be answered.`;
  }
  const [first = '', ...more] = (found.fix ?? '').split('\n').map((line) => cleanLine(line, MAX_LINE_CHARS));
  return [
    `${style('bold', 'The cause:')} ${cleanLine(found.saw, MAX_LINE_CHARS)}`,
    ...found.evidence.map((line) => `  ${style('dim', '|')} ${cleanLine(line, MAX_LINE_CHARS)}`),
    `${style('bold', 'The fix:')} ${first}`,
    ...more.map((line) => `         ${line}`),
  ].join('\n');
}
