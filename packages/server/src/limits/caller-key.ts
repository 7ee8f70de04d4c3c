import type { Principal } from '@switchyard/protocol';

/** Answers what tells one caller from every other, as text: nobody's is a key, too. */
export function callerKey(principal: Principal | undefined): string {
  return JSON.stringify(
    principal === undefined ? null : [principal.issuer ?? null, principal.tenant ?? null, principal.subject],
  );
}
