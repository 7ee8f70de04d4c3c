/** Writes to one store, in order for each name. */
export interface WriteChains {
  /**
   * Writes when all that was written under the same name is done; of those that wait only the last one is. Resolves and
   * rejects as what was written in its place. Rejects at once where `max` names or more are being written.
   */
  write(name: string, max: number, work: () => Promise<void>): Promise<void>;
  /** Whether something is being written under a name, so that what is there may be what was before. */
  isWriting(name: string): boolean;
}

interface Chain {
  next: { work: () => Promise<void>; readonly done: PromiseWithResolvers<void> } | undefined;
}

/** Creates the chains of one store. A store that hangs holds one write for each name and no more. */
export function createWriteChains(): WriteChains {
  const chains = new Map<string, Chain>();

  return {
    isWriting: (name) => chains.has(name),
    write(name, max, work) {
      const chain = chains.get(name);
      if (chain === undefined) {
        if (chains.size >= max) return Promise.reject(new Error(`${chains.size} writes to it are not done yet`));
        const begun: Chain = { next: undefined };
        chains.set(name, begun);
        return run(name, begun, work);
      }
      if (chain.next === undefined) chain.next = { work, done: Promise.withResolvers() };
      else chain.next.work = work;
      return chain.next.done.promise;
    },
  };

  async function run(name: string, chain: Chain, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      const { next } = chain;
      chain.next = undefined;
      if (next === undefined) chains.delete(name);
      else run(name, chain, next.work).then(next.done.resolve, next.done.reject);
    }
  }
}
