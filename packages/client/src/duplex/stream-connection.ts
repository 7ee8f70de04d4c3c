import type { Connection, PeerHandlers } from '../message/connection.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { boundWrite } from './bounded-write.ts';
import { createDuplexConnection } from './duplex-connection.ts';
import { createLineIntake } from './line-intake.ts';

/** What a stream connection needs of the byte stream below it. */
export interface StreamConnectionOptions {
  readonly context: PeerContext;
  readonly handlers: PeerHandlers;
  /**
   * What the peer writes, in pieces of any size: a socket of Node, a web `ReadableStream`. It is read to its end, which
   * ends the connection, as its failure does.
   */
  readonly readable: AsyncIterable<Uint8Array>;
  /**
   * Writes one line, its end included, and resolves when the stream has taken it. Calls may overlap; order is kept. It
   * rejects where the stream takes no more.
   */
  readonly write: (line: string) => Promise<void>;
  /**
   * Ends the stream and whatever stands behind it; `readable` ends then, too. Called once at most, also where the peer
   * ended it.
   */
  readonly close: () => Promise<void>;
  /** As {@link Connection.lastWords}. */
  readonly lastWords?: () => string;
}

/**
 * Creates the connection over a byte stream: a unix socket, TCP, a pipe, a serial line. It frames as stdio does: one
 * message a line, in UTF-8. Lines that are no messages are reported and skipped, one over `maxMessageBytes` is not kept
 * and rejects the request that it answers, and a peer that leaves 16 Mi characters unread gets no more.
 *
 * A stream that keeps messages apart by itself needs no lines: use `createDuplexConnection`.
 *
 * Spec: basic/transports#custom-transports, basic/transports/stdio#receiving-messages (2026-07-28).
 */
export function createStreamConnection(options: StreamConnectionOptions): Connection {
  const { context, handlers, readable, close, lastWords } = options;
  const write = boundWrite(context, options.write, 'its stream');
  const duplex = createDuplexConnection({
    context,
    handlers,
    close,
    write: (text) => write(`${text}\n`),
    ...(lastWords === undefined ? {} : { lastWords }),
  });
  const { connection } = duplex;
  void read();
  return connection;

  async function read(): Promise<void> {
    const lines = createLineIntake({ context, duplex });
    let how = 'its stream ended';
    try {
      for await (const chunk of readable) lines.push(chunk);
      lines.end();
    } catch (error) {
      how = `its stream broke: ${excerpt(String(error))}`;
      lines.drain();
    }
    duplex.end(context.fail('closed', `${how}. Look whether the server still runs.`));
    await connection.close().catch((error: unknown) => {
      context.warn('left-behind', `its stream did not close: ${excerpt(String(error))}`);
    });
  }
}
