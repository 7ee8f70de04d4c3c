import { ClientError, type ClientErrorCode } from '@switchyard/client';
import { cleanText } from '@switchyard/guards';
import { type ErrorBody, ProtocolError, stringifyJson } from '@switchyard/protocol';
import { isDeeperThan, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { stderrLines, unavailabilityOf, UnavailableError, withoutStderr } from '../upstream/unavailable.ts';
import { type Call, placeOf, resolutionOf } from './call.ts';
import { failed, type Outcome } from './outcome.ts';
import type { VerdictReason } from './verdict.ts';

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
  'invalid-argument': 'internal',
};

/** Answers the outcome of a call whose server, or the way to it, failed. What is no such failure is thrown on. */
export function toFailure(call: Call, error: unknown): Outcome {
  const { upstream } = resolutionOf(call);
  if (error instanceof ProtocolError) return upstreamError(call, error);
  if (error instanceof UnavailableError) {
    const { message, stderr } = unavailabilityOf(upstream.name, error);
    return failed({
      reason: 'unavailable',
      message,
      ...placeOf(call),
      ...(stderr === undefined ? {} : { details: { stderr } }),
    });
  }
  if (!(error instanceof ClientError)) throw error;
  const reason = reasons[error.code];
  if (reason === 'internal') throw error;
  const stderr = stderrLines(error);
  return failed({
    reason,
    message: withoutStderr(error),
    ...placeOf(call),
    ...(stderr === undefined ? {} : { details: { stderr } }),
  });
}

function upstreamError(call: Call, error: ProtocolError): Outcome {
  const said = cleanText(error.message, { maxChars: MAX_UPSTREAM_MESSAGE_CHARS });
  const message = `MCP server "${resolutionOf(call).upstream.name}" answered with an error: ${said} (${error.code})`;
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
