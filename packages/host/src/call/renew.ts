import { untilAborted, within } from '@switchyard/client';
import { type Call, definitionDigestOf, type Resolution, resolutionOf, type Stage } from './call.ts';
import { find } from './find.ts';
import type { PipelineContext } from './pipeline-context.ts';
import type { VerdictReason } from './verdict.ts';

/** A list that is younger is not read again, so that calls which break a definition cost servers little. */
const MIN_AGE_MS = 1000;
/** How long a call waits for the list, in milliseconds. */
const MAX_WAIT_MS = 1000;

const refusedByDefinition: ReadonlySet<VerdictReason> = new Set(['invalid-arguments', 'definition-rejected']);

/**
 * Keeps calls from being held against a definition that their server no longer has: a name that is known asks for no
 * list, however old that is. A call that its definition refused waits for the list where that is stale, a second at
 * most, and is checked once more where the definition changed. After a result that was rejected the list is read again
 * for the calls that follow.
 */
export function renew({ directory, surroundings }: Pick<PipelineContext, 'directory' | 'surroundings'>): Stage {
  return async (call, next) => {
    const outcome = await next(call);
    const { upstream } = resolutionOf(call);
    const reason = outcome.kind === 'completed' ? undefined : outcome.verdict.reason;
    if (reason === 'result-rejected') {
      upstream.markStale();
      void upstream.refresh({ minAgeMs: MIN_AGE_MS });
    }
    if (reason === undefined || !refusedByDefinition.has(reason)) return outcome;
    try {
      const reading = within(surroundings, MAX_WAIT_MS, upstream.refresh({ minAgeMs: MIN_AGE_MS }));
      await untilAborted(call.options.signal, reading);
    } catch {
      // The caller gave up a call that was refused anyway.
      return outcome;
    }
    const changed = findChanged(call, directory);
    if (changed === undefined) return outcome;
    call.resolution = changed;
    return next(call);
  };
}

/** What the call is about by the catalog of now, where its definition is another one. */
function findChanged(
  { operation, agent, resolution }: Call,
  directory: PipelineContext['directory'],
): Resolution | undefined {
  const found = find(operation, agent.view(), directory);
  if (found === undefined || 'ambiguous' in found) return undefined;
  return definitionDigestOf(found) === definitionDigestOf(resolution) ? undefined : found;
}
