import type { LineDecoder } from '@switchyard/protocol';
import type { MessageEdges } from '../message/message-edges.ts';
import type { ClientError } from '../peer/client-error.ts';
import { maskedExcerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { DuplexConnection } from './duplex-connection.ts';
import { createLineReader } from './line-reader.ts';
import { createOneByOne } from './one-by-one.ts';

/** The way in for the bytes of a peer. */
interface LineIntake extends LineDecoder {
  /** Hands on what has come, without waiting for its turn. */
  drain(): void;
}

/** Where the lines of a peer go. */
interface LineIntakeOptions {
  readonly context: PeerContext;
  readonly duplex: DuplexConnection;
  /** Told of each line that was a message. */
  readonly onMessage?: () => void;
}

/**
 * Creates the way in for the bytes of a peer that writes one message a line. What is no message is reported and
 * skipped; a line over `maxMessageBytes` is not kept, and rejects the request that it answers, as one does that is not
 * UTF-8.
 *
 * Spec: basic/transports/stdio#receiving-messages (2026-07-28).
 */
export function createLineIntake({ context, duplex, onMessage }: LineIntakeOptions): LineIntake {
  const { add, drain } = createOneByOne((text) => {
    if (duplex.receive(text)) onMessage?.();
  });
  const reader = createLineReader({
    maxLineBytes: context.maxMessageBytes,
    onLine: add,
    onTooLarge(line) {
      drain();
      rejectTooLarge(duplex, context, line);
    },
    onInvalid(line, text) {
      drain();
      rejectInvalid(duplex, context, { ...line, text });
    },
  });
  return {
    push: reader.push,
    end() {
      reader.end();
      drain();
    },
    drain,
  };
}

function rejectInvalid(
  duplex: DuplexConnection,
  context: PeerContext,
  { id, isAnswer, text }: MessageEdges & { readonly text: string },
): void {
  const error = (): ClientError =>
    context.fail(
      'invalid-response',
      `its answer is not UTF-8, which messages are in: ${maskedExcerpt(context, text)}. Look which encoding its stdout ` +
        'has; Python on Windows takes PYTHONUTF8=1.',
    );
  if (isAnswer && id !== undefined && duplex.pendingIds().includes(id) && duplex.reject(id, error())) return;
  context.strays.note('a line that is not UTF-8', text);
  context.warn('junk-output', 'wrote a line that is not UTF-8.');
}

function rejectTooLarge(duplex: DuplexConnection, context: PeerContext, { id, isAnswer }: MessageEdges): void {
  const error = context.fail(
    'too-large',
    `its answer is over the limit of ${context.maxMessageBytes} bytes and was not read. ` +
      'Ask for less, or raise maxMessageBytes.',
  );
  const [only, ...others] = duplex.pendingIds();
  const answered = id ?? (others.length === 0 ? only : undefined);
  if (isAnswer && answered !== undefined && duplex.reject(answered, error)) return;
  context.warn(
    'message-too-large',
    `wrote a message over the limit of ${context.maxMessageBytes} bytes; it was not read.`,
  );
}
