import { nearestName } from './nearest-names.ts';
import { quote, renderPath } from './problem.ts';
import type { Report } from './report.ts';
import { childOf, keysOf, textOf, type SourceNode } from './source-node.ts';

/** Checks that the agents which other parts of the configuration name exist. */
export function checkAgents(root: SourceNode, report: Report): void {
  const gateway = childOf(root, 'gateway');
  const id = textOf(gateway, 'anonymousAgent');
  const node = childOf(gateway, 'anonymousAgent');
  if (id === undefined || id === '' || node === undefined) return;
  const ids = keysOf(childOf(root, 'agents'));
  if (ids.includes(id)) return;
  const near = nearestName(id, ids);
  const path = ['gateway', 'anonymousAgent'];
  const suggestion = near === undefined ? `add ${quote(id)} to agents` : `did you mean ${quote(near)}?`;
  report.refuse(node.at, path, `${renderPath(path)} names ${quote(id)}, but there is no such agent`, suggestion);
}
