import { redactedExcerpt } from '@switchyard/guards';
import type { AuditEntry } from '../audit/record.ts';
import type { Call, Stage } from './call.ts';
import { kindOf, subjectOf } from './operation.ts';
import type { Outcome } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';

const MAX_NAME_CHARS = 512;

/**
 * Records how each call ended: an `outcome` where its intent is recorded, whatever came back, and otherwise one
 * `refused` record with the reason. The caller gets the outcome once the record is durable. A record that cannot be
 * written is logged as an error and shows as an unfinished call; it does not take the result away from the caller,
 * because the call has happened.
 */
export function record({ audit, logger, surroundings }: PipelineContext): Stage {
  return async (call, next) => {
    const outcome = await next(call);
    const durationMs = Math.max(0, Math.round(surroundings.now() - call.startedAt));
    const entry = endEntry(call, outcome, durationMs);
    try {
      await audit.append(entry);
    } catch (error) {
      logger.error({ callId: call.id, err: error }, 'the end of a call could not be recorded');
    }
    const { callId, agent, method, server, name, reason, resultBytes, isError } = entry;
    logger.info(
      { callId, agent, method, server, name, outcome: outcome.kind, reason, isError, durationMs, resultBytes },
      'call',
    );
    return outcome;
  };
}

/** Answers the members that every record of a call has. */
export function entryOf(call: Call, kind: AuditEntry['kind']): AuditEntry {
  const { resolution, principal } = call;
  const asked = subjectOf(call.operation);
  return {
    kind,
    callId: call.id,
    agent: call.agent.name,
    method: call.operation.method,
    name: redactedExcerpt(resolution?.name ?? asked, MAX_NAME_CHARS),
    ...(resolution === undefined ? {} : { server: resolution.upstream.name }),
    ...(principal === undefined ? {} : { subject: principal.subject.toWellFormed() }),
    ...(principal?.tenant === undefined ? {} : { tenant: principal.tenant.toWellFormed() }),
    ...digestOf(call),
    ...call.evidence,
  };
}

function endEntry(call: Call, outcome: Outcome, durationMs: number): AuditEntry {
  const end = {
    ...entryOf(call, call.intended === true ? 'outcome' : 'refused'),
    durationMs,
    ...(call.resultBytes === undefined ? {} : { resultBytes: call.resultBytes }),
  };
  if (outcome.kind !== 'completed') return { ...end, reason: outcome.verdict.reason };
  if (kindOf(call.operation) !== 'tool') return end;
  const isError = 'isError' in outcome.result ? outcome.result.isError : false;
  return { ...end, isError: isError ?? false };
}

function digestOf({ resolution }: Call): { readonly definitionDigest?: string } {
  if (resolution?.kind === 'tool') return { definitionDigest: resolution.tool.digest };
  return resolution?.kind === 'prompt' ? { definitionDigest: resolution.prompt.digest } : {};
}
