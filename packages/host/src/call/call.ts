import { type JsonObject, type KnownOptions, type Principal } from '@switchyard/protocol';
import type { AuditEntry } from '../audit/record.ts';
import type { RedactedArguments } from '../audit/redact-arguments.ts';
import type { AgentView } from '../catalog/agent-view.ts';
import type { PromptEntry, ToolEntry } from '../catalog/entry.ts';
import type { AgentPolicy } from '../policy/agent-policy.ts';
import type { Governed } from '../policy/governed.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Operation } from './operation.ts';
import type { Outcome } from './outcome.ts';

/** Progress of a call as its server reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a caller gives with a call. */
export interface CallOptions {
  /** Gives the call up; the server is told. */
  readonly signal?: AbortSignal;
  /** Takes the progress that the server reports. */
  readonly onProgress?: (progress: Progress) => void;
  /** The caller's own deadline in milliseconds; the server's and the host's hold beside it. */
  readonly timeoutMs?: number;
  /** Further keys of the request's `_meta`, such as `traceparent`. */
  readonly meta?: JsonObject;
}

/** The members of {@link CallOptions}. */
export const callOptions: KnownOptions<CallOptions> = { signal: true, onProgress: true, timeoutMs: true, meta: true };

/** The agent on whose behalf a call is made. */
export interface CallingAgent {
  readonly name: string;
  readonly policy: AgentPolicy;
  /** The agent's own catalog, as it is known now. */
  view(): AgentView;
}

/** What an operation is about, found in the caller's own catalog. */
export type Resolution = {
  readonly upstream: Upstream;
  /** What the policy decides on. */
  readonly governed: Governed;
  /** The server's own name of the tool or prompt, or the URI. */
  readonly name: string;
} & (
  | { readonly kind: 'tool'; readonly tool: ToolEntry }
  | { readonly kind: 'prompt'; readonly prompt: PromptEntry }
  | { readonly kind: 'resource' }
);

/**
 * One call on its way through the pipeline. Stages fill in the members that are not readonly, each once but for
 * `resolution`.
 */
export interface Call {
  readonly id: string;
  readonly agent: CallingAgent;
  readonly principal: Principal | undefined;
  readonly operation: Operation;
  readonly options: CallOptions;
  /** When the call came in, by the clock that only grows. */
  readonly startedAt: number;
  /** By `resolve`, and again by `renew` where the definition changed. */
  resolution?: Resolution;
  /** By `validate`: the operation with the server's own names and frozen arguments, exactly as it is sent. */
  frozen?: Operation;
  /** By `validate`: what of the arguments may be recorded. */
  evidence?: { readonly argumentsDigest?: string; readonly arguments?: RedactedArguments };
  /** By `intend`: the intent, once it is durable, so that an outcome must follow. */
  intent?: AuditEntry;
  /** By `vet`. */
  resultBytes?: number;
}

/**
 * One stage of the pipeline. It passes the call on or stops it with an outcome, and may replace the outcome on the way
 * back. It does not throw; where it does, the pipeline makes an `internal` failure of it.
 */
export type Stage = (call: Call, next: (call: Call) => Promise<Outcome>) => Promise<Outcome>;

/** Answers what `resolve` found. */
export function resolutionOf(call: Call): Resolution {
  if (call.resolution === undefined) throw new Error('the stage stands before resolve');
  return call.resolution;
}

/** Answers the operation that `validate` froze. */
export function frozenOf(call: Call): Operation {
  if (call.frozen === undefined) throw new Error('the stage stands before validate');
  return call.frozen;
}

/** Answers the digest of the definition that a call is held against; a resource has none. */
export function definitionDigestOf(resolution: Resolution | undefined): string | undefined {
  if (resolution?.kind === 'tool') return resolution.tool.digest;
  return resolution?.kind === 'prompt' ? resolution.prompt.digest : undefined;
}

/** Answers what a verdict says about where a call goes. */
export function placeOf(call: Call): { readonly server?: string; readonly tool?: string } {
  const { resolution } = call;
  if (resolution === undefined) return {};
  const server = resolution.upstream.name;
  return resolution.kind === 'tool' ? { server, tool: resolution.tool.key } : { server };
}
