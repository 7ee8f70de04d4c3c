const MAX_POINTER_CHARS = 200;
const PLAIN_SEGMENT = /^[A-Za-z0-9_.-]{0,40}$/;

/** Answers a JSON Pointer without what may be content: a member of a result may be called anything. */
export function safePlace(path: string): string {
  return path
    .slice(0, MAX_POINTER_CHARS)
    .split('/')
    .map((segment) => (PLAIN_SEGMENT.test(segment) ? segment : '…'))
    .join('/');
}
