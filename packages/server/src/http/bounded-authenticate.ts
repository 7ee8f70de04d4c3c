import type { Authenticate, Authenticated } from '../authorization/authenticate.ts';
import { cannotAuthenticate } from '../authorization/cannot-authenticate.ts';
import { isThenable } from '../dispatch/is-thenable.ts';
import { createDeadlines } from '../timing/deadlines.ts';

/** How long a hook may take, and how many callers may wait for it. */
export interface AuthenticateBounds {
  readonly timeoutMs: number;
  readonly maxWaiting: number;
}

/**
 * Bounds a hook in time and number: what it asks may never answer, and whom it asks about is nobody yet whose requests were counted. Beyond
 * either bound the caller gets 503. What is answered at once is not counted; but while as many wait as may, the hook is not asked at all, since
 * it would begin what nobody waits for.
 */
export function boundAuthenticate(hook: Authenticate, { timeoutMs, maxWaiting }: AuthenticateBounds): Authenticate {
  const deadlines = createDeadlines(timeoutMs);
  let waiting = 0;

  async function waitFor(answer: PromiseLike<Authenticated>): Promise<Authenticated> {
    const late = Promise.withResolvers<never>();
    const watched = {
      expire() {
        late.reject(cannotAuthenticate(new Error(`authenticate did not answer within ${timeoutMs} ms`)));
        return true;
      },
    };
    waiting += 1;
    deadlines.watch(watched);
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      deadlines.forget(watched);
      waiting -= 1;
    }
  }

  return (head) => {
    if (waiting >= maxWaiting)
      throw cannotAuthenticate(new Error(`${waiting} callers wait for authenticate, and no more may`));
    const answer = hook(head);
    return isThenable(answer) ? waitFor(answer) : answer;
  };
}
