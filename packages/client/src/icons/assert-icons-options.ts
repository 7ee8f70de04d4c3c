import { assertKnownOptions, type KnownOptions } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { type IconsOptions, originOf } from './icon-rules.ts';

const iconsOptions: KnownOptions<IconsOptions> = { trustedOrigins: true };

/**
 * Throws a `ClientError` with code `invalid-argument` for options that cannot be meant, and a `TypeError` for those that
 * there are not.
 */
export function assertIconsOptions(context: PeerContext, options: IconsOptions = {}): void {
  assertKnownOptions('connect, icons', options, iconsOptions);
  const { trustedOrigins = [] } = options;
  if (trustedOrigins === 'any') return;
  const wrong = trustedOrigins.find((origin) => originOf(origin) === undefined);
  if (wrong === undefined) return;
  throw context.fail('invalid-argument', 'icons.trustedOrigins must hold origins such as https://cdn.example.com.');
}
