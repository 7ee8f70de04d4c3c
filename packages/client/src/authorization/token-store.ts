/**
 * Keeps what a client has been given by authorization servers: registrations, tokens, and proof keys that belong to
 * them. Keys are made of the issuer and what was registered or granted there; values are texts that hold secrets.
 * Methods may be called concurrently, by several processes where the store is shared, and reject with what their storage
 * says, which must hold no value.
 */
export interface TokenStore {
  get(key: string): Promise<string | undefined>;
  /** Keeps a value, replacing an earlier one as a whole: nobody ever reads half of one. */
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Runs `work` while nobody else who shares this store runs any under the same key: a refresh token that rotates must
   * be used once. Waiting ends with the reason of `signal`. A holder that died does not block others for long.
   */
  exclusively<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}
