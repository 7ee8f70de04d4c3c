import type { ServerStatus } from '@switchyard/host';
import { cleanLine, type Terminal } from '../terminal.ts';
import { alignColumns } from './columns.ts';
import { countOf } from './count-of.ts';

const MAX_NAME_CHARS = 60;
const MAX_REASON_CHARS = 160;

/** Answers the servers with how many tools each has, and how many of them the agent can reach. */
export function showServers(
  servers: readonly ServerStatus[],
  reachable: ReadonlyMap<string, readonly unknown[]>,
  { style }: Pick<Terminal, 'style'>,
): string {
  if (servers.length === 0) return '  No servers: add one under mcpServers.';
  const rows = servers.map(({ name, state, tools = 0, revision, error }) => {
    const shown = cleanLine(name, MAX_NAME_CHARS);
    if (state === 'unavailable') return [shown, style('red', state), cleanLine(error?.message ?? '', MAX_REASON_CHARS)];
    if (state !== 'ready') return [shown, style('yellow', state), ''];
    const own = reachable.get(name)?.length ?? 0;
    return [
      shown,
      countOf(tools, 'tool'),
      own === tools ? (revision ?? '') : `${revision ?? ''}  (${own} within reach)`,
    ];
  });
  return alignColumns(rows, '  ').join('\n');
}
