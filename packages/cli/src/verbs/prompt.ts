import { parsePromptArguments } from '../arguments/parse-pairs.ts';
import { showProgress } from '../present/show-progress.ts';
import { showPrompt } from '../present/show-result.ts';
import type { Surroundings } from '../surroundings.ts';
import { onTarget, type TargetFlags } from '../target/on-target.ts';
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
  return onTarget(flags, { kind: 'prompt', subject: name }, surroundings, terminal, async (target) => {
    const result = await target.prompt(name, args, {
      signal: surroundings.signal,
      onProgress: (progress) => terminal.progress(showProgress(name, progress)),
    });
    terminal.result(result, () => showPrompt(result));
    return 0;
  });
}
