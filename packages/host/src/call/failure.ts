import { ClientError, type ClientErrorCode } from '@switchyard/client';
import { cleanText } from '@switchyard/guards';
import { type ErrorBody, errorCodes, ProtocolError, stringifyJson } from '@switchyard/protocol';
import { isDeeperThan, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { type Unavailability, unavailabilityOf, UnavailableError } from '../upstream/unavailable.ts';
import { type Call, placeOf, resolutionOf } from './call.ts';
import { effectOf, type KnownEffect } from './effect.ts';
import { failed, type Outcome, refused } from './outcome.ts';
import type { Verdict, VerdictReason } from './verdict.ts';

const MAX_UPSTREAM_MESSAGE_CHARS = 2000;
const MAX_UPSTREAM_DATA_CHARS = 64 * 1024;

const reasons: { readonly [code in ClientErrorCode]: VerdictReason } = {
  timeout: 'timeout',
  aborted: 'cancelled',
  closed: 'unavailable',
  'start-failed': 'unavailable',
  'connect-failed': 'unavailable',
  unauthorized: 'unavailable',
  'http-status': 'unavailable',
  version: 'unavailable',
  'invalid-response': 'result-rejected',
  'too-large': 'result-rejected',
  'unexpected-input-required': 'result-rejected',
  'input-refused': 'result-rejected',
  'too-many-rounds': 'result-rejected',
  'outcome-unknown': 'unavailable',
  'circuit-open': 'unavailable',
  authorization: 'unavailable',
  'result-rejected': 'result-rejected',
  'invalid-argument': 'internal',
};

/** Answers the outcome of a call whose server, or the way to it, failed. What is no such failure is thrown on. */
export function toFailure(call: Call, error: unknown): Outcome {
  if (error instanceof ProtocolError) return upstreamError(call, error);
  const { upstream } = resolutionOf(call);
  const reason =
    error instanceof UnavailableError ? 'unavailable' : error instanceof ClientError ? reasons[error.code] : 'internal';
  if (reason === 'internal') throw error;
  const known = unavailabilityOf(upstream.name, error);
  const effect = effectOf(call, error);
  if (reason !== 'unavailable') {
    const message = asksForInput(error) ? inputRefusal(upstream.name) : known.message;
    return unanswered(call, { reason, message }, effect);
  }
  const { message, details } = unavailable(upstream.name, known);
  const lost = effect?.effect === 'unknown' ? `MCP server "${upstream.name}" gave no answer.` : message;
  return unanswered(call, { reason, message: lost, details }, effect);
}

const codesOfAsking: ReadonlySet<ClientErrorCode> = new Set([
  'unexpected-input-required',
  'input-refused',
  'too-many-rounds',
]);

function asksForInput(error: unknown): boolean {
  return error instanceof ClientError && codesOfAsking.has(error.code);
}

/** The client's own words advise a program that holds the client, which whoever calls through a host does not. */
function inputRefusal(server: string): string {
  return `MCP server "${server}" asks for input before it finishes, which this host cannot pass on to its callers yet.`;
}

/**
 * Answers the verdict on a server that cannot be used. Why it cannot may name paths of this machine, so it stays in the
 * details.
 */
export function unavailable(
  server: string,
  { message: cause, stderr }: Unavailability,
): Verdict & Required<Pick<Verdict, 'details'>> {
  const message = `MCP server "${server}" is not available now; try again later.`;
  return { reason: 'unavailable', message, server, details: { cause, ...(stderr === undefined ? {} : { stderr }) } };
}

/**
 * Answers the outcome of a call that was let through and got no usable answer: refused where it had no effect, else
 * failed. The message says of a tool call which of the two it is.
 */
export function unanswered(
  call: Call,
  verdict: Pick<Verdict, 'reason' | 'message' | 'details'>,
  known: KnownEffect | undefined = effectOf(call),
): Outcome {
  if (known === undefined) return failed({ ...verdict, ...placeOf(call) });
  const full = withEffect({ ...verdict, ...placeOf(call) }, known);
  return known.effect === 'none' ? refused(full) : failed(full);
}

/** Has a verdict on a tool call say what is known of its effect. */
export function withEffect(verdict: Verdict, { effect, sentence }: KnownEffect): Verdict {
  return { ...verdict, message: `${verdict.message} ${sentence}`, effect };
}

function upstreamError(call: Call, error: ProtocolError): Outcome {
  const said = cleanText(error.message, { maxChars: MAX_UPSTREAM_MESSAGE_CHARS });
  const { name } = resolutionOf(call).upstream;
  const message =
    error.code === errorCodes.missingRequiredClientCapability.code
      ? `MCP server "${name}" needs what this host cannot do for it yet, such as asking the user; nothing that its callers declare changes that. It answered: ${said} (${error.code})`
      : `MCP server "${name}" answered with an error: ${said} (${error.code})`;
  return failed({
    reason: 'upstream-error',
    message,
    code: error.code,
    upstream: boundedBody(error),
    ...placeOf(call),
  });
}

/** The server's error as it came, without data that is too large to hand on. */
function boundedBody(error: ProtocolError): ErrorBody {
  const { code, message, data } = error.body();
  const bounded = { code, message: cleanText(message, { maxChars: MAX_UPSTREAM_MESSAGE_CHARS }) };
  const isSmall =
    data !== undefined && !isDeeperThan(data, MAX_JSON_DEPTH) && stringifyJson(data).length <= MAX_UPSTREAM_DATA_CHARS;
  return isSmall ? { ...bounded, data } : bounded;
}
