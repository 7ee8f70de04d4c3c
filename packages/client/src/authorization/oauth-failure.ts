import { AuthorizationResponseError, OperationProcessingError, ResponseBodyError } from 'oauth4webapi';
import { ClientError } from '../peer/client-error.ts';
import { maskedExcerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** Who is asked where nothing else is said. */
const AUTHORIZATION_SERVER = 'the authorization server';

/**
 * Answers a failure of oauth4webapi as a `ClientError` of code `authorization`. That failure is no cause of it: it may
 * hold codes and tokens. A `ClientError` and the reason of a signal are answered as they are. `advice` is a sentence
 * for whom the server refuses, with a space before it.
 */
export function toAuthorizationError(
  context: Pick<PeerContext, 'fail' | 'mask'>,
  what: string,
  error: unknown,
  signal: AbortSignal,
  { who = AUTHORIZATION_SERVER, advice = '' }: { readonly who?: string; readonly advice?: string } = {},
): unknown {
  if (error instanceof ClientError) return error;
  if (signal.aborted) return signal.reason;
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const { error: code, error_description: description = '' } = error;
    const said = description === '' ? '' : `: "${maskedExcerpt(context, description)}"`;
    const oauthError = maskedExcerpt(context, code, 80);
    const status = error instanceof ResponseBodyError ? { status: error.status } : {};
    return context.fail('authorization', `${who} refused ${what} with ${oauthError}${said}.${advice}`, {
      oauthError,
      ...status,
    });
  }
  const status =
    error instanceof OperationProcessingError && error.cause instanceof Response ? ` (HTTP ${error.cause.status})` : '';
  const reason =
    error instanceof Error ? maskedExcerpt(context, error.message.replaceAll('"response"', 'it')) : 'it failed';
  return context.fail('authorization', `the answer of ${who} to ${what} is not usable: ${reason}${status}.`);
}
