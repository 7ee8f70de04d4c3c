import type { Logger } from '@switchyard/protocol';
import { authorize } from './authorize.ts';
import type { Call, Stage } from './call.ts';
import { intend } from './intend.ts';
import { unanswered } from './failure.ts';
import type { Outcome } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { record } from './record.ts';
import { renew } from './renew.ts';
import { reserve } from './reserve.ts';
import { resolve } from './resolve.ts';
import { route } from './route.ts';
import { validate } from './validate.ts';
import { vet } from './vet.ts';

/**
 * Makes the path that every call takes, whoever calls: the stages in their order, outermost first. The answer never
 * rejects.
 */
export function createPipeline(context: PipelineContext): (call: Call) => Promise<Outcome> {
  const stages: Stage[] = [
    record(context),
    resolve(context),
    renew(context),
    validate(context),
    authorize(),
    reserve(context.limits),
    intend(context),
    vet(context),
    route(context),
  ];
  const end = (): Promise<Outcome> => Promise.reject(new Error('the last stage passed the call on'));
  return stages.reduceRight<(call: Call) => Promise<Outcome>>(
    (next, stage) => guarded(stage, next, context.logger),
    end,
  );
}

function guarded(
  stage: Stage,
  next: (call: Call) => Promise<Outcome>,
  logger: Logger,
): (call: Call) => Promise<Outcome> {
  return async (call) => {
    try {
      return await stage(call, next);
    } catch (error) {
      logger.error({ callId: call.id, err: error }, 'a stage of a call failed');
      const message = `The host failed to carry out the call (reference ${call.id}).`;
      return unanswered(call, { reason: 'internal', message });
    }
  };
}
