import { errorCodes, isJsonObject } from '@switchyard/protocol';
import { extendFailure, Failure } from '../failure.ts';
import { withoutApi } from './without-api.ts';

/**
 * Has the failure of a request that needs an answer say how to give one; `isBare` tells whether it went to one server
 * without a configuration. What an answer of this command caused is answered as that.
 */
export function explainAsking(error: unknown, isBare: boolean): unknown {
  if (error instanceof Failure) {
    if (error.code !== errorCodes.missingRequiredClientCapability.code) return error;
    return withHint(error, hintFor(wantedBy(error.cause), isBare));
  }
  if (!(error instanceof Error) || error.name !== 'ClientError') return error;
  if (error.cause instanceof Failure) return error.cause;
  if (!('code' in error) || error.code !== 'unexpected-input-required') return error;
  return withHint(new Failure(error.code, withoutApi(error.message), { cause: error }), hintFor([], isBare));
}

/** The capabilities that a server says it needs. */
function wantedBy(cause: unknown): readonly string[] {
  const data: unknown = cause instanceof Error && 'data' in cause ? cause.data : undefined;
  const required: unknown = isJsonObject(data) ? data['requiredCapabilities'] : undefined;
  return isJsonObject(required) ? Object.keys(required) : [];
}

function hintFor(wanted: readonly string[], isBare: boolean): string {
  if (!isBare) {
    return 'The servers of a configuration ask nobody; to call a tool that asks, reach its server with --url or --server.';
  }
  if (wanted.includes('sampling')) {
    return (
      'There is no model here; --answers may hold what one answers: ' +
      '{"*":{"role":"assistant","content":{"type":"text","text":"…"},"model":"…"}}'
    );
  }
  if (wanted.length > 0 && wanted.every((capability) => capability === 'roots'))
    return 'Name the folders that it may know of: --root FOLDER';
  return (
    'Nobody was there to be asked: run this on a terminal without --json and --no-input, ' +
    'or give --answers \'{"*":{"action":"accept","content":{…}}}\'.'
  );
}

function withHint(failure: Failure, hint: string): Failure {
  return extendFailure(failure, ` ${hint}`);
}
