/** When a value is got anew. */
export interface RefreshOptions {
  /** How long a value is used after it was asked for. */
  readonly maxAgeMs: number;
  /** How long after an attempt that succeeded a refresh for a special reason waits. */
  readonly cooldownMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** One value from elsewhere, got when it is needed and kept for a time. Any number of callers wait for one attempt. */
export interface RefreshedValue<T> {
  /** Answers the value; rejects with what the last attempt failed with, for some seconds without another one. */
  get(): Promise<T>;
  /**
   * Answers a new value: the one that is being got, which others may have asked for first, or the one at hand within
   * the cool-down. It begins no second attempt after the first, so that callers cannot make one follow the other.
   * Rejects with what the attempt failed with, for some seconds without another one.
   */
  refresh(): Promise<T>;
}

/**
 * How long a failed attempt answers for further ones: an authorization server that is down is not asked for every
 * request.
 */
const RETRY_MS = 5_000;

/** Keeps one value that `load` gets. A failed refresh leaves the value at hand in use until its age is over. */
export function createRefreshedValue<T>(load: () => Promise<T>, options: RefreshOptions): RefreshedValue<T> {
  const { maxAgeMs, cooldownMs, now } = options;
  let value: { readonly of: T; readonly at: number } | undefined;
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  let loading: Promise<T> | undefined;

  function attempt(): Promise<T> {
    loading ??= run().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function run(): Promise<T> {
    const at = now();
    try {
      const of = await load();
      value = { of, at };
      failure = undefined;
      return of;
    } catch (error) {
      failure = { error, at: now() };
      throw error;
    }
  }

  function isYoung(got: { readonly at: number } | undefined, ageMs: number): got is { readonly at: number } {
    return got !== undefined && now() - got.at < ageMs;
  }

  async function getAnew(): Promise<T> {
    if (loading === undefined && isYoung(failure, RETRY_MS)) throw failure.error;
    return attempt();
  }

  return {
    get: async () => (isYoung(value, maxAgeMs) ? value.of : getAnew()),
    refresh: async () =>
      loading === undefined && failure === undefined && isYoung(value, Math.min(cooldownMs, maxAgeMs))
        ? value.of
        : getAnew(),
  };
}
