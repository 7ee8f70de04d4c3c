import { redactedExcerpt } from '@switchyard/guards';
import type { AuditEntry } from '../audit/record.ts';
import type { Directory } from '../catalog/directory.ts';
import { exposedNameHead } from '../catalog/exposed-name.ts';
import { parseQualifiedUri } from '../catalog/resource-address.ts';
import { type Call, definitionDigestOf, type Stage } from './call.ts';
import { kindOf, subjectOf } from './operation.ts';
import type { Outcome } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';

const MAX_NAME_CHARS = 512;

/**
 * Records how each call ended: an `outcome` where its intent is recorded, whatever came back, and otherwise one
 * `refused` record with the reason. The caller gets the outcome once the record is durable, but for a call that was
 * refused because the audit cannot be written: its record is written if it can be. A record that cannot be
 * written is logged as an error and shows as an unfinished call; it does not take the result away from the caller,
 * because the call has happened.
 */
export function record({ audit, logger, surroundings, directory }: PipelineContext): Stage {
  return async (call, next) => {
    const outcome = await next(call);
    const durationMs = Math.max(0, Math.round(surroundings.now() - call.startedAt));
    const entry = endEntry(call, outcome, durationMs, directory);
    const recorded = write(entry);
    // An audit that has just kept the caller waiting in vain is not waited for once more.
    if (outcome.kind === 'completed' || outcome.verdict.reason !== 'audit-unavailable') await recorded;
    const { callId, agent, method, server, name, reason, effect, resultBytes, isError } = entry;
    logger.info(
      { callId, agent, method, server, name, outcome: outcome.kind, reason, effect, isError, durationMs, resultBytes },
      'call',
    );
    return outcome;
  };

  /** Never rejects. */
  async function write(entry: AuditEntry): Promise<void> {
    try {
      await audit.append(entry);
    } catch (error) {
      logger.error({ callId: entry.callId, err: error }, 'the end of a call could not be recorded');
    }
  }
}

/** Answers the members that every record of a call has. */
export function entryOf(call: Call, kind: 'intent' | 'refused'): AuditEntry {
  const { resolution, principal } = call;
  const asked = subjectOf(call.operation);
  const definitionDigest = definitionDigestOf(resolution);
  return {
    kind,
    callId: call.id,
    agent: call.agent.name,
    method: call.operation.method,
    name: redactedExcerpt(resolution?.name ?? asked, MAX_NAME_CHARS),
    ...(resolution === undefined ? {} : { server: resolution.upstream.name }),
    ...(principal === undefined ? {} : { subject: principal.subject.toWellFormed() }),
    ...(principal?.tenant === undefined ? {} : { tenant: principal.tenant.toWellFormed() }),
    ...(definitionDigest === undefined ? {} : { definitionDigest }),
    ...call.evidence,
  };
}

function endEntry(call: Call, outcome: Outcome, durationMs: number, directory: Directory): AuditEntry {
  const end = {
    // What the intent says holds for the outcome; the name is not searched for credentials a second time.
    ...(call.intent === undefined ? entryOf(call, 'refused') : { ...call.intent, kind: 'outcome' as const }),
    ...(call.resolution === undefined ? askedPlace(call, directory) : {}),
    durationMs,
    ...(call.resultBytes === undefined ? {} : { resultBytes: call.resultBytes }),
  };
  if (outcome.kind !== 'completed') {
    const { reason, effect } = outcome.verdict;
    return { ...end, reason, ...(effect === undefined ? {} : { effect }) };
  }
  if (kindOf(call.operation) !== 'tool') return end;
  const isError = 'isError' in outcome.result ? outcome.result.isError : false;
  return { ...end, isError: isError ?? false };
}

/**
 * Says of what nobody could resolve where it would have been: the server that the head of the name belongs to, and the
 * rest of the name or the server's own URI, as if it were there.
 */
function askedPlace({ operation }: Call, directory: Directory): Pick<AuditEntry, 'server' | 'name'> | undefined {
  const kind = kindOf(operation);
  const subject = subjectOf(operation);
  const server = directory.ownerOf(kind, subject)?.name;
  if (server === undefined) return undefined;
  const own =
    kind === 'resource' ? (parseQualifiedUri(subject)?.uri ?? subject) : subject.slice(exposedNameHead(server).length);
  return { server, name: redactedExcerpt(own, MAX_NAME_CHARS) };
}
