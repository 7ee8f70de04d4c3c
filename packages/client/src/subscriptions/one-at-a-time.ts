/** Runs the pieces of one kind of work one at a time. */
export interface OneAtATime<P, R> {
  /**
   * Runs a piece when the one that runs is over. Of those that wait under one name only the latest is run, for all who
   * wait for it. Answers what it comes to, and rejects as it does.
   */
  run(name: string, piece: P): Promise<R>;
}

/** Creates what runs `work`. */
export function createOneAtATime<P, R>(work: (piece: P) => Promise<R>): OneAtATime<P, R> {
  const waiting = new Map<string, { piece: P; readonly done: PromiseWithResolvers<R> }>();
  let isBusy = false;

  return {
    run(name, piece) {
      const present = waiting.get(name);
      if (present !== undefined) {
        present.piece = piece;
        return present.done.promise;
      }
      const done = Promise.withResolvers<R>();
      waiting.set(name, { piece, done });
      if (!isBusy) void runAll();
      return done.promise;
    },
  };

  async function runAll(): Promise<void> {
    isBusy = true;
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const [name, { piece, done }] = first;
      waiting.delete(name);
      try {
        done.resolve(await work(piece));
      } catch (error) {
        done.reject(error);
      }
    }
    isBusy = false;
  }
}
