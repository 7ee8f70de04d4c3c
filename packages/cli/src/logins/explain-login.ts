import { Failure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import { loginHint } from './login-hint.ts';

/** What the client tells a program to do; a person has a flag for it. */
const HEADERS_ADVICE = 'Configure valid credentials as headers, for example Authorization or x-api-key.';
const HEADER_FLAG = "Give valid credentials with --header, for example --header 'x-api-key: …'.";

/**
 * Has the failure of a server that wants to know who calls say how to give that, and how to log in where it wants a
 * token. Errors of the client are told by their name, so that they need not be loaded for it.
 */
export function explainLogin(error: unknown, url: string, surroundings: Pick<Surroundings, 'invocation'>): unknown {
  if (!(error instanceof Error) || error.name !== 'ClientError') return error;
  const { code, challenge, server } = error as Error & { readonly [name in 'code' | 'challenge' | 'server']?: unknown };
  const wantsToken = typeof challenge === 'string' && /\b(?:bearer|dpop)\b/i.test(challenge);
  if (code !== 'unauthorized') return error;
  const message = error.message.replace(HEADERS_ADVICE, HEADER_FLAG);
  const hint = wantsToken ? ` If you have an account there, ${loginHint(url, surroundings)}` : '';
  return new Failure('unauthorized', `${message}${hint}`, {
    cause: error,
    ...(typeof server === 'string' ? { server } : {}),
  });
}
