import { clip, methodOf, type Request } from '@switchyard/protocol';

/** How much of a text of a peer a line of the log holds, in UTF-16 units. */
export const MAX_LOGGED_CHARS = 256;

/**
 * What a log holds of the id of a task: enough to find it, too little to use it, which needs nothing else where nobody
 * is authenticated.
 */
export function loggedTaskId(taskId: string): string {
  return `${taskId.slice(0, 8)}…`;
}

/** The name of what a request is about, short enough for a log. */
export function nameOf(request: Request): string | undefined {
  const key = methodOf(request.method)?.nameFrom;
  const name = key === undefined ? undefined : request.params?.[key];
  if (typeof name !== 'string') return undefined;
  return key === 'taskId' ? loggedTaskId(name) : clip(name, MAX_LOGGED_CHARS);
}
