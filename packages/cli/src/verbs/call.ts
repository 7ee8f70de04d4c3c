import { parseArgumentObject, parseArguments } from '../arguments/parse-pairs.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { showProgress, showTask } from '../present/show-progress.ts';
import { showToolResult } from '../present/show-result.ts';
import type { Surroundings } from '../surroundings.ts';
import { onTarget, type TargetFlags } from '../target/on-target.ts';
import type { Terminal } from '../terminal.ts';

/** The options of `call`. */
export interface CallFlags extends TargetFlags {
  /** The arguments as one JSON object. */
  readonly args?: string;
}

/** `switchyard call NAME key=value…`: calls a tool and prints what it answers. */
export async function call(
  name: string,
  pairs: readonly string[],
  flags: CallFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  if (flags.args !== undefined && pairs.length > 0) throw usageFailure('Give key=value pairs or --args, not both.');
  const given = flags.args === undefined ? undefined : parseArgumentObject(flags.args);
  // Pairs that are none are refused before any server is started.
  if (given === undefined) parseArguments(pairs);
  return onTarget(flags, { kind: 'tool', subject: name }, surroundings, terminal, async (target) => {
    const { signal } = surroundings;
    const definition = await target.findTool(name, { signal });
    for (const warning of target.accessWarnings()) terminal.warn(warning);
    const args = given ?? parseArguments(pairs, definition?.inputSchema);
    const result = await target.call(name, args, {
      signal,
      onProgress: (progress) => terminal.progress(showProgress(name, progress)),
      onTask: (task) => terminal.progress(showTask(name, task)),
    });
    terminal.result(result, () => showToolResult(result));
    if (result.isError !== true) return exitCodes.success;
    terminal.note(`The tool ${name} reports an error.`);
    return exitCodes.toolError;
  });
}
