import { Failure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import { loginHint } from './login-hint.ts';

/**
 * Has the failure of a server that wants a token say how to log in. Errors of the client are told by their name, so
 * that they need not be loaded for it.
 */
export function explainLogin(error: unknown, url: string, surroundings: Pick<Surroundings, 'invocation'>): unknown {
  if (!(error instanceof Error) || error.name !== 'ClientError') return error;
  const { code, challenge, server } = error as Error & { readonly [name in 'code' | 'challenge' | 'server']?: unknown };
  const wantsToken = typeof challenge === 'string' && /\b(?:bearer|dpop)\b/i.test(challenge);
  if (code !== 'unauthorized' || !wantsToken) return error;
  const hint = loginHint(url, surroundings);
  return new Failure('unauthorized', `${error.message} If you have an account there, ${hint}`, {
    cause: error,
    ...(typeof server === 'string' ? { server } : {}),
  });
}
