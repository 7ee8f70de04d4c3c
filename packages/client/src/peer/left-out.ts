/** An entry of a list that was left out, and why, in one sentence. */
export interface LeftOut {
  /** The entry's name or URI, shortened; its place in the list where it has none. */
  readonly name: string;
  readonly reason: string;
}
