/** Lets one tool tell that another one was cancelled. */
export interface HangUps {
  /** Waits until the caller hangs up. */
  hang(signal: AbortSignal): Promise<'hung up'>;
  /** Waits until somebody hung up since it was asked last. */
  heard(): Promise<string>;
}

export function createHangUps(): HangUps {
  let next = Promise.withResolvers<string>();
  return {
    async hang(signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      next.resolve('heard of it');
      return 'hung up';
    },
    async heard() {
      const text = await next.promise;
      next = Promise.withResolvers();
      return text;
    },
  };
}
