import type { PeerContext } from '../peer/peer-context.ts';
import { type IconsOptions, originOf } from './icon-rules.ts';

/** Throws a `ClientError` with code `invalid-argument` for options that cannot be meant. */
export function assertIconsOptions(context: PeerContext, { trustedOrigins = [] }: IconsOptions = {}): void {
  if (trustedOrigins === 'any') return;
  const wrong = trustedOrigins.find((origin) => originOf(origin) === undefined);
  if (wrong === undefined) return;
  throw context.fail('invalid-argument', 'icons.trustedOrigins must hold origins such as https://cdn.example.com.');
}
