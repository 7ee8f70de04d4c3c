import type { Surroundings } from '../surroundings.ts';

/** Answers what to do for a token. A query may hold a key, and is not repeated. */
export function loginHint(url: string, { invocation }: Pick<Surroundings, 'invocation'>): string {
  const { origin, pathname, search } = new URL(url);
  return `log in with: ${invocation} login ${origin}${pathname}${search === '' ? '' : '?…'}`;
}
