export type { Agent, Available, ListOptions, UnavailableServer } from './agent.ts';
export { openAudit, type OpenedAudit } from './audit/audit-log.ts';
export type { Audit, AuditQuery } from './audit/audit.ts';
export type { AuditKind, AuditRecord, CallEffect } from './audit/record.ts';
export type { RedactedArgument, RedactedArguments } from './audit/redact-arguments.ts';
export type { AuditProblem, AuditVerification } from './audit/verify.ts';
export type { CallOptions, Progress } from './call/call.ts';
export {
  type Operation,
  type OperationMethod,
  type OperationParams,
  type OperationResults,
  toOperation,
} from './call/operation.ts';
export type { Outcome } from './call/outcome.ts';
export { outcomeToResult } from './call/outcome-to-result.ts';
export {
  type Verdict,
  type VerdictDetails,
  verdictMetaKey,
  type VerdictReason,
  verdictReasons,
  type WireVerdict,
} from './call/verdict.ts';
export type { ExposedPrompt, ExposedResource, ExposedResourceTemplate, ExposedTool } from './catalog/entry.ts';
export { exposedName, exposedServerName } from './catalog/exposed-name.ts';
export { mayOffer } from './catalog/may-offer.ts';
export type { LeftOutEntry } from './catalog/server-catalog.ts';
export type { Host } from './host.ts';
export { HostError, type HostErrorCode } from './host-error.ts';
export type { Logger } from '@switchyard/protocol';
export { openHost, type OpenHostOptions } from './open-host.ts';
export type { UnmatchedEntry } from './policy/unmatched-entries.ts';
export type { Surroundings } from './surroundings.ts';
export type { Unavailability } from './upstream/unavailable.ts';
export type { ServerStatus } from './upstream/upstream.ts';
