import type { Authenticate, Authenticated } from '../authorization/authenticate.ts';
import { cannotAuthenticate } from '../authorization/cannot-authenticate.ts';
import { isThenable } from '../timing/is-thenable.ts';
import type { HttpExchange } from '../exchange/http-exchange.ts';
import { createDeadlines } from '../timing/deadlines.ts';

/**
 * Stands for what a hook would have answered of a caller who went away before; no string, which a hook could answer,
 * too.
 */
export const abandoned = Symbol('abandoned');

/** How long a hook may take, and how many callers may wait for it. */
export interface AuthenticateBounds {
  readonly timeoutMs: number;
  readonly maxWaiting: number;
}

/**
 * Bounds a hook in time and number: what it asks may never answer, and whom it asks about is nobody yet whose requests
 * were counted. Beyond either bound the caller gets 503. What is answered at once is not counted; but while as many
 * wait as may, the hook is not asked at all, since it would begin what nobody waits for. Whoever goes away gives its
 * place back at once; what the hook began for it is the hook's to end.
 */
export function boundAuthenticate(
  hook: Authenticate,
  { timeoutMs, maxWaiting }: AuthenticateBounds,
): (
  exchange: Pick<HttpExchange, 'head' | 'onAbandoned'>,
) => ReturnType<Authenticate> | Promise<Authenticated | typeof abandoned> {
  const deadlines = createDeadlines(timeoutMs);
  let waiting = 0;

  async function waitFor(
    answer: PromiseLike<Authenticated>,
    onAbandoned: (callback: () => void) => void,
  ): Promise<Authenticated | typeof abandoned> {
    const gone = new Promise<typeof abandoned>((resolve) => onAbandoned(() => resolve(abandoned)));
    waiting += 1;
    try {
      return await deadlines.race(Promise.race([answer, gone]), () => {
        throw cannotAuthenticate(new Error(`authenticate did not answer within ${timeoutMs} ms`));
      });
    } finally {
      waiting -= 1;
    }
  }

  return (exchange) => {
    if (waiting >= maxWaiting)
      throw cannotAuthenticate(new Error(`${waiting} callers wait for authenticate, and no more may`));
    const answer = hook(exchange.head);
    return isThenable(answer) ? waitFor(answer, (callback) => exchange.onAbandoned(callback)) : answer;
  };
}
