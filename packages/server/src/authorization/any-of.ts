import type { Authenticate, Challenge } from './authenticate.ts';
import { isChallenge } from './authenticate.ts';
import type { HttpHead } from '../exchange/http-exchange.ts';

/**
 * Tries hooks in order: the first that knows the credentials decides, for and against. A hook passes them on with
 * `undefined` or with a challenge that is `foreign`; where all do, the caller gets one challenge a scheme. A token that
 * one hook refused as revoked is not shown to the next, which might take it, and `'anonymous'` is for callers who sent
 * nothing: unknown credentials are refused and not overlooked.
 *
 * @throws TypeError when there are no hooks.
 */
export function anyOf(...hooks: readonly Authenticate[]): Authenticate {
  if (hooks.length === 0) throw new TypeError('anyOf takes at least one hook');
  return async (head) => {
    const passed: Challenge[] = [];
    for (const [index, hook] of hooks.entries()) {
      const answer = await hook(head);
      if (answer === undefined) continue;
      if (answer === 'anonymous' && index > 0 && sentCredentials(head, passed)) break;
      if (typeof answer !== 'object' || !isChallenge(answer) || answer.foreign !== true) return answer;
      passed.push(answer);
    }
    return merge(passed);
  };
}

/** Whether the hooks before saw credentials; one that answers `undefined` does not say. */
function sentCredentials(head: HttpHead, passed: readonly Challenge[]): boolean {
  return head.header('authorization') !== undefined || passed.some(({ reason }) => reason !== 'no-credentials');
}

const NAMES_ERROR = /[ ,]error=/;

/** The challenges of the hooks, of each scheme the first that says what is wrong, else the first. */
function merge(challenges: readonly Challenge[]): Challenge | undefined {
  const [first] = challenges;
  if (first === undefined) return undefined;
  const telling = challenges.find(({ reason }) => reason !== 'no-credentials') ?? first;
  const listed = [telling, ...challenges].flatMap(({ wwwAuthenticate }) => wwwAuthenticate);
  const schemes = new Map<string, string>();
  for (const challenge of listed) {
    const scheme = challenge.split(' ', 1)[0]?.toLowerCase() ?? '';
    const held = schemes.get(scheme);
    if (held === undefined || (!NAMES_ERROR.test(held) && NAMES_ERROR.test(challenge))) schemes.set(scheme, challenge);
  }
  return { ...telling, wwwAuthenticate: [...schemes.values()] };
}
