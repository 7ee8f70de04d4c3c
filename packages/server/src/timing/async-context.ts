/** A store of values that belong to what runs, however often it waits. */
interface AsyncStorage<T> {
  run<R>(value: T, work: () => R): R;
  getStore(): T | undefined;
}

interface AsyncHooks {
  readonly AsyncLocalStorage: {
    new <T>(): AsyncStorage<T>;
    bind<A extends unknown[], R>(run: (...args: A) => R): (...args: A) => R;
  };
}

/** What Node, Bun, Deno and Workers have of it. It is asked for and not imported, as other runtimes have none. */
interface WithBuiltins {
  readonly process?: { getBuiltinModule?(id: 'node:async_hooks'): AsyncHooks | undefined };
}

/** `undefined` where the runtime has none. */
export const asyncHooks = (globalThis as WithBuiltins).process?.getBuiltinModule?.('node:async_hooks');

/**
 * Answers the same function, which runs in the async context of here and now: what an author keeps there for one request
 * must not be that of another one whose end, or whose timer, calls the function. Elsewhere it is the function itself.
 */
export function inThisContext<A extends unknown[], R>(run: (...args: A) => R): (...args: A) => R {
  return asyncHooks === undefined ? run : asyncHooks.AsyncLocalStorage.bind(run);
}
