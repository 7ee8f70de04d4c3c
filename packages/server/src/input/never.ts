/** What a handler awaits whose round has ended. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
