import { relative } from 'node:path';
import { findConfiguration, type LoadedConfiguration, readConfiguration, renderProblem } from '@switchyard/config';
import { findLiteralCredential } from '@switchyard/guards';
import { exposedServerName } from '@switchyard/host';
import { Failure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** A configuration with the file that it is from, as the user would name it. */
export interface NamedConfiguration extends LoadedConfiguration {
  readonly file: string;
}

/**
 * Reads the configuration that `--config` names, else the one of the working directory alone: a parent folder's is
 * never used, because a configuration starts programs. Its warnings go to the terminal. Throws a ConfigurationError, or
 * a failure where there is none.
 */
export async function loadConfiguration(
  given: string | undefined,
  { cwd, env }: Pick<Surroundings, 'cwd' | 'env'>,
  terminal: Pick<Terminal, 'warn'>,
): Promise<NamedConfiguration> {
  const file = given ?? relative(cwd, await find(cwd));
  const loaded = await readConfiguration(file, { cwd, env, exposedServerName, findCredential: findLiteralCredential });
  for (const warning of loaded.warnings) terminal.warn(renderProblem(warning));
  return { ...loaded, file };
}

async function find(cwd: string): Promise<string> {
  try {
    return await findConfiguration(cwd);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure('configuration', `${why} (--config FILE names another; no other folder is searched)`, {
      cause: error,
    });
  }
}
