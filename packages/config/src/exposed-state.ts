import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Configuration } from './configuration.ts';
import { renderPath } from './problem.ts';
import type { Report } from './report.ts';
import { positionAt, type SourceNode } from './source-node.ts';

/**
 * Warns of each argument of a program that is the folder of the audit and its key, or one above it: most programs that
 * are given a folder let their callers read what is in it. Paths are compared as they are written; no link is followed.
 */
export function warnOfExposedState(
  root: SourceNode,
  { mcpServers, audit, folder }: Configuration,
  report: Report,
): void {
  const stateFolder = dirname(audit.path);
  for (const [id, server] of Object.entries(mcpServers)) {
    if (server.type !== 'stdio') continue;
    for (const [index, argument] of server.args.entries()) {
      const given = pathIn(argument);
      if (given === '' || !holds(resolve(server.cwd, given), stateFolder)) continue;
      const path = ['mcpServers', id, 'args', index];
      report.warn(
        positionAt(root, path) ?? root.at,
        path,
        `${renderPath(path)} is a folder that holds the audit and its key (${relative(folder, audit.path)}), which callers of the server could then read`,
        'give the server another folder, or set audit.path to a place outside of this one',
      );
    }
  }
}

/**
 * The part of an argument that may be a path: what follows the equals sign of an option, else all that is no option.
 */
function pathIn(argument: string): string {
  if (!argument.startsWith('-')) return argument;
  const equals = argument.indexOf('=');
  return equals < 0 ? '' : argument.slice(equals + 1);
}

function holds(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
