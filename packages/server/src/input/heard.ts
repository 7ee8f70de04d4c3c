/** Answers a promise whose failure ends no process where its round ends before anybody awaits it: what failed is kept elsewhere. */
export function heard<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/** What a handler awaits whose round has ended. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
