/** Answers what somebody threw as a text. It never throws, whatever that was. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    // Such as an object without a prototype, or one whose `toString` throws.
    return 'something that is no text';
  }
}
