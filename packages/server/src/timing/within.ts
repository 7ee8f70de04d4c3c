import { isThenable } from './is-thenable.ts';

/**
 * Makes the function that waits for an answer at most `timeoutMs`, and then rejects. An answer that is there already is
 * not waited for. The timer holds the process, which may have nothing but the answer to live on for.
 */
export function createWithin(timeoutMs: number): <T>(answer: T | Promise<T>) => Promise<T> {
  return async (answer) => {
    if (!isThenable(answer)) return answer;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
