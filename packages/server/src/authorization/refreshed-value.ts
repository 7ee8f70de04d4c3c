/** When a value is got anew. */
export interface RefreshOptions {
  /** How long a value is used. */
  readonly maxAgeMs: number;
  /** How long after an attempt a refresh for a special reason waits. */
  readonly cooldownMs: number;
  /** Milliseconds of any clock that does not run backwards by much. */
  readonly now: () => number;
}

/** One value from elsewhere, got when it is needed and kept for a time. Any number of callers wait for one attempt. */
export interface RefreshedValue<T> {
  /** Answers the value; rejects with what the last attempt failed with, for some seconds without another one. */
  get(): Promise<T>;
  /** Answers a value got after the call, or the one at hand within the cool-down. */
  refresh(): Promise<T>;
}

/** How long a failed attempt answers for further ones: an authorization server that is down is not asked for every request. */
const RETRY_MS = 5_000;

/** Keeps one value that `load` gets. A failed refresh leaves the value at hand in use until its age is over. */
export function createRefreshedValue<T>(load: () => Promise<T>, options: RefreshOptions): RefreshedValue<T> {
  const { maxAgeMs, cooldownMs, now } = options;
  let value: { readonly of: T; readonly at: number } | undefined;
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  let attemptedAt = -Infinity;
  let loading: Promise<T> | undefined;

  function attempt(): Promise<T> {
    loading ??= run().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function run(): Promise<T> {
    attemptedAt = now();
    try {
      const of = await load();
      value = { of, at: now() };
      failure = undefined;
      return of;
    } catch (error) {
      failure = { error, at: now() };
      throw error;
    }
  }

  async function get(): Promise<T> {
    if (value !== undefined && now() - value.at < maxAgeMs) return value.of;
    if (loading === undefined && failure !== undefined && now() - failure.at < RETRY_MS) throw failure.error;
    return attempt();
  }

  return {
    get,
    async refresh() {
      if (loading === undefined && now() - attemptedAt < cooldownMs) return get();
      try {
        return await attempt();
      } catch {
        return get();
      }
    },
  };
}
