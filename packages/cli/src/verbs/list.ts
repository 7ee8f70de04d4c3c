import { Failure } from '../failure.ts';
import { promptShowing, resourceShowing, toolShowing } from '../present/show-definitions.ts';
import { showList, type Showing } from '../present/show-list.ts';
import type { Surroundings } from '../surroundings.ts';
import { onTarget, type TargetFlags } from '../target/on-target.ts';
import type { Listing, Target, TargetOptions } from '../target/target.ts';
import type { Terminal } from '../terminal.ts';
import { warnOfMissing } from './warn-of-missing.ts';

type ListVerb = (flags: TargetFlags, surroundings: Surroundings, terminal: Terminal) => Promise<number>;

/** `switchyard tools`: lists the tools that the agent can call, or those of one server. */
export const tools: ListVerb = listVerb((target, options) => target.tools(options), toolShowing);

/** `switchyard resources`: lists the resources and templates that the agent can read, or those of one server. */
export const resources: ListVerb = listVerb((target, options) => target.resources(options), resourceShowing);

/** `switchyard prompts`: lists the prompts that the agent can render, or those of one server. */
export const prompts: ListVerb = listVerb((target, options) => target.prompts(options), promptShowing);

function listVerb<Definition>(
  list: (target: Target, options: TargetOptions) => Promise<Listing<Definition>>,
  showing: Showing<Definition>,
): ListVerb {
  return (flags, surroundings, terminal) =>
    onTarget(flags, undefined, surroundings, terminal, async (target) => {
      const { entries, missing, warnings } = await list(target, { signal: surroundings.signal });
      for (const warning of warnings) terminal.warn(warning);
      const [first, ...others] = missing;
      if (entries.length === 0 && first !== undefined) {
        for (const other of others) terminal.warn(other.message);
        throw new Failure('unavailable', first.message, {
          server: first.server,
          ...(first.stderr === undefined ? {} : { lines: first.stderr }),
        });
      }
      warnOfMissing(missing, terminal);
      terminal.result(
        entries.map(({ definition }) => definition),
        () => showList(entries, showing, terminal),
      );
      return 0;
    });
}
