import type { AuditLog } from '../audit/audit-log.ts';
import type { Directory } from '../catalog/directory.ts';
import type { Logger } from '../logger.ts';
import type { Surroundings } from '../surroundings.ts';
import { authorize } from './authorize.ts';
import { type Call, placeOf, type Stage } from './call.ts';
import { intend } from './intend.ts';
import { failed, type Outcome } from './outcome.ts';
import { record } from './record.ts';
import { createReserve } from './reserve.ts';
import { resolve } from './resolve.ts';
import { route } from './route.ts';
import { validate } from './validate.ts';
import { vet } from './vet.ts';

/** What the stages work with. */
export interface PipelineContext {
  readonly directory: Directory;
  readonly audit: AuditLog;
  readonly logger: Logger;
  readonly surroundings: Surroundings;
  readonly limits: PipelineLimits;
  /** Whether integers beyond the range of a double are kept digit for digit, as `bigint`. */
  readonly exactIntegers: boolean;
}

/** The limits that hold for every call. */
export interface PipelineLimits {
  readonly callTimeoutMs: number;
  readonly maxArgumentsBytes: number;
  readonly maxResultBytes: number;
  readonly maxConcurrentCalls: number;
}

/**
 * Makes the path that every call takes, whoever calls: the stages in their order, outermost first. The answer never rejects.
 */
export function createPipeline(context: PipelineContext): (call: Call) => Promise<Outcome> {
  const stages: Stage[] = [
    record(context),
    resolve(context),
    validate(context),
    authorize(),
    createReserve(context.limits),
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
      return failed({ reason: 'internal', message, ...placeOf(call) });
    }
  };
}
