import { isMessageId, type MessageId } from '@switchyard/protocol';

/** What the first and the last characters of a message tell about it, where the rest is not kept or cannot be read. */
export interface MessageEdges {
  /** The id of the message, where it could be found. */
  readonly id: MessageId | undefined;
  /** False where it cannot be the answer to a request: a notification, a request of the peer, no message at all. */
  readonly isAnswer: boolean;
}

const ID_MEMBER = String.raw`"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,256}")`;
const VERSION_MEMBER = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
/** The small members that may stand first, and the member after them. */
const START = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION_MEMBER}\s*,\s*)?(?:${ID_MEMBER}\s*,\s*)?(?:${VERSION_MEMBER}\s*,\s*)?("(?:method|params)"\s*:)?`,
);
/** The small members that may stand last. */
const ID_AT_END = new RegExp(
  String.raw`,\s*(?:${VERSION_MEMBER}\s*,\s*)?${ID_MEMBER}\s*(?:,\s*${VERSION_MEMBER}\s*)?\}\s*$`,
);

/**
 * Reads the first characters of a message, a few hundred at most. Answers `undefined` for what may be an answer whose
 * id stands at the end.
 */
export function readStart(head: string): MessageEdges | undefined {
  const start = START.exec(head);
  // Whoever sends a batch may have answers in it.
  if (start === null) return /^\s*\[/.test(head) ? undefined : { id: undefined, isAnswer: false };
  const [, idText, otherMember] = start;
  const id = readId(idText);
  if (otherMember !== undefined) return { id, isAnswer: false };
  return id === undefined ? undefined : { id, isAnswer: true };
}

/** Reads the last characters of what {@link readStart} left open. */
export function readEnd(tail: string): MessageEdges {
  return { id: readId(ID_AT_END.exec(tail)?.[1]), isAnswer: true };
}

function readId(text: string | undefined): MessageId | undefined {
  if (text === undefined) return undefined;
  try {
    const id: unknown = JSON.parse(text);
    return isMessageId(id) ? id : undefined;
  } catch {
    // A string with an escape that JSON does not have; then nothing waits for it either.
    return undefined;
  }
}
