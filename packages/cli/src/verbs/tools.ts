import { Failure } from '../failure.ts';
import { showTools } from '../present/show-tools.ts';
import type { Surroundings } from '../surroundings.ts';
import { onTarget, type TargetFlags } from '../target/on-target.ts';
import type { Terminal } from '../terminal.ts';
import { warnOfMissing } from './warn-of-missing.ts';

/** `switchyard tools`: lists what the agent can call, or what one server has. */
export async function tools(flags: TargetFlags, surroundings: Surroundings, terminal: Terminal): Promise<number> {
  return onTarget(flags, { kind: 'everything' }, surroundings, terminal, async (target) => {
    const listing = await target.tools({ signal: surroundings.signal });
    for (const reason of listing.leftOut) terminal.warn(reason);
    const [first, ...others] = listing.missing;
    if (listing.tools.length === 0 && first !== undefined) {
      for (const other of others) terminal.warn(other.message);
      throw new Failure('unavailable', first.message, {
        server: first.server,
        ...(first.stderr === undefined ? {} : { lines: first.stderr }),
      });
    }
    warnOfMissing(listing.missing, terminal);
    terminal.result(
      listing.tools.map(({ definition }) => definition),
      () => showTools(listing.tools, terminal),
    );
    return 0;
  });
}
