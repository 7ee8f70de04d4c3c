import { parsePromptArguments } from '../arguments/parse-pairs.ts';
import { showProgress } from '../present/show-progress.ts';
import { showPrompt } from '../present/show-result.ts';
import type { Surroundings } from '../surroundings.ts';
import { openTarget, type TargetFlags } from '../target/open-target.ts';
import type { Terminal } from '../terminal.ts';

/** `switchyard prompt NAME key=value…`: renders a prompt and prints its messages. */
export async function prompt(
  name: string,
  pairs: readonly string[],
  flags: TargetFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  const args = parsePromptArguments(pairs);
  await using target = await openTarget(flags, { kind: 'name', name }, surroundings, terminal);
  const result = await target.prompt(name, args, {
    signal: surroundings.signal,
    onProgress: (progress) => terminal.progress(showProgress(name, progress)),
  });
  terminal.result(result, () => showPrompt(result));
  return 0;
}
