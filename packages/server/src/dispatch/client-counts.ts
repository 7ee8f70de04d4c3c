import { assertKnownOptions, clip, type Revision, toBound } from '@switchyard/protocol';

/** How many requests came from clients of one name at one revision. */
export interface ClientCount {
  /** The revision of the protocol that the requests were of. */
  readonly revision: Revision;
  /**
   * What the client calls itself, at most 64 characters of it; `(unnamed)` where it does not, `(other)` past the bound
   * on names.
   */
  readonly client: string;
  /** How many came since the counts were made. */
  readonly requests: number;
}

/** Counts requests by revision and client, so that an operator sees who still needs the adapter for old clients. */
export interface ClientCounts {
  /** Counts one request. It never throws. */
  add(revision: Revision, client: string | undefined): void;
  /** What was counted so far, the most frequent first. */
  list(): readonly ClientCount[];
}

const MAX_NAME_CHARS = 64;

/**
 * Makes counts that start at zero. Names are self-reported, so at most `maxClients` (default 100) of them are told
 * apart at each revision; requests of further ones are counted under `(other)`.
 *
 * @throws TypeError when an option is unknown, or `maxClients` is no number of at least 1.
 */
export function createClientCounts(options: { readonly maxClients?: number } = {}): ClientCounts {
  assertKnownOptions('createClientCounts', options, { maxClients: true });
  const maxClients = toBound('maxClients', options.maxClients ?? 100);
  const revisions = new Map<Revision, Map<string, { requests: number }>>();

  function place(revision: Revision, given: string): { requests: number } {
    let clients = revisions.get(revision);
    if (clients === undefined) revisions.set(revision, (clients = new Map()));
    const clipped = clip(given, MAX_NAME_CHARS);
    const name = clients.has(clipped) || clients.size < maxClients ? clipped : '(other)';
    let known = clients.get(name);
    if (known === undefined) clients.set(name, (known = { requests: 0 }));
    return known;
  }

  return {
    add(revision, client = '(unnamed)') {
      const known = revisions.get(revision)?.get(client) ?? place(revision, client);
      known.requests += 1;
    },
    list() {
      const counted = [...revisions].flatMap(([revision, clients]) =>
        [...clients].map(([client, { requests }]): ClientCount => ({ revision, client, requests })),
      );
      return counted.sort((a, b) => b.requests - a.requests);
    },
  };
}
