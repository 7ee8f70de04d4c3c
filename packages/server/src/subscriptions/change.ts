import { type ChangingList, changingListNames, parseJsonObject } from '@switchyard/protocol';

/** What changed: a list, what one resource holds, a task by its key, or, when news may have been lost, anything. */
export type Change =
  | { readonly list: ChangingList }
  | { readonly uri: string }
  | { readonly task: string; readonly by: 'run' | 'caller' }
  | { readonly anything: true };

/** Answers a change that another instance published, or `undefined` for a text that is none. */
export function parseChange(text: string): Change | undefined {
  const value = parseJsonObject(text);
  if (value === undefined) return undefined;
  const { list, uri, task, by, anything } = value;
  if (anything === true) return { anything };
  const known = changingListNames.find((each) => each === list);
  if (known !== undefined) return { list: known };
  if (typeof task === 'string') return { task, by: by === 'caller' ? 'caller' : 'run' };
  return typeof uri === 'string' ? { uri } : undefined;
}
