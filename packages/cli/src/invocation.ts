import { relative } from 'node:path';

/** What says how a process was started. */
export interface Start {
  /** The first of its arguments: the program. */
  readonly program: string;
  /** The Node that runs it. */
  readonly node: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The variable in which `bin/switchyard` of this repository says where it stands. */
const LAUNCHER = 'SWITCHYARD_LAUNCHER';

/**
 * Answers how a person starts this command again in the same folder. What is installed has a name; from source it is
 * what started it, a launcher or the npm script of this repository, and otherwise the source with the Node that runs it
 * now.
 */
export function invocationOf({ program, node, cwd, env }: Start): string {
  if (!program.endsWith('.ts')) return 'switchyard';
  const launcher = env[LAUNCHER];
  if (launcher !== undefined) return nearest(launcher, cwd);
  if (env['npm_lifecycle_event'] !== undefined) return 'npm run -s switchyard --';
  return `${nearest(node, cwd)} --conditions=@switchyard/source ${nearest(program, cwd)}`;
}

function nearest(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near;
}
