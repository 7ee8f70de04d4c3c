import { clip, encodeCursor, type ListShape } from '@switchyard/protocol';

const LONGEST_ORDER: ListShape['member'] = 'resourceTemplates';

/**
 * Refuses a key that no cursor can name.
 *
 * @throws TypeError when it is longer than about 3,000 bytes.
 */
export function assertListable(kind: string, key: string): void {
  try {
    encodeCursor({ after: key, order: LONGEST_ORDER });
  } catch (error) {
    throw new TypeError(`${kind} ${clip(key)}: it is too long to be listed in pages`, { cause: error });
  }
}
