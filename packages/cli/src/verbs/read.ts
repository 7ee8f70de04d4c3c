import { showProgress } from '../present/show-progress.ts';
import { showResourceContents } from '../present/show-content.ts';
import type { Surroundings } from '../surroundings.ts';
import { onTarget, type TargetFlags } from '../target/on-target.ts';
import type { Terminal } from '../terminal.ts';

/** `switchyard read URI`: reads a resource and prints its contents. */
export async function read(
  uri: string,
  flags: TargetFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  return onTarget(flags, { kind: 'resource', subject: uri }, surroundings, terminal, async (target) => {
    const result = await target.read(uri, {
      signal: surroundings.signal,
      onProgress: (progress) => terminal.progress(showProgress(uri, progress)),
    });
    terminal.result(result, () => showResourceContents(result.contents));
    return 0;
  });
}
