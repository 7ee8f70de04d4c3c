import type { ClientError, Connection, OpenOptions, Transport } from '@switchyard/client';
import type { Request } from '@switchyard/protocol';

/** What is to be known of the connections to one server. Nothing of it throws. */
export interface ConnectionWatch {
  /** A connection begins to be opened; `gone` resolves when it failed to or when everything behind it has ended. */
  onOpen(gone: Promise<void>): void;
  /** A request is handed to the connection: from here on the server may have it. */
  onRequest(request: Request): void;
  /** The server answered a request, with an error or without. */
  onReply(): void;
  /** A connection that was not closed from this side ended, for instance because its process did. */
  onEnd(error: ClientError): void;
}

/** Answers a transport that tells of its connections. */
export function watchTransport(transport: Transport, watch: ConnectionWatch): Transport {
  const { older } = transport;
  return {
    ...transport,
    ...(older === undefined ? {} : { older: watchTransport(older, watch) }),
    open(options) {
      const opening = open(options);
      watch.onOpen(goneAfter(opening));
      return opening;
    },
  };

  async function open(options: OpenOptions): Promise<Connection> {
    const connection = await transport.open(options);
    void connection.closed.then((error) => {
      if (error !== undefined) watch.onEnd(error);
    });
    return {
      ...connection,
      async request(request, requestOptions) {
        watch.onRequest(request);
        const reply = await connection.request(request, requestOptions);
        watch.onReply();
        return reply;
      },
    };
  }
}

async function goneAfter(opening: Promise<Connection>): Promise<void> {
  try {
    const connection = await opening;
    await connection.closed;
    // The client closes what ended; closing once more waits for the same.
    await connection.close();
  } catch {
    // Whoever opened or closed it got the reason.
  }
}
