import type { Transport } from '../../src/index.ts';
import { createDuplexConnection } from '../../src/index.ts';

/** One end of the pair that both official SDKs link in memory; it carries messages as objects. */
interface LinkedEnd {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
}

/** The transport over one end of a linked pair. It opens once. */
export function overLinkedPair(end: LinkedEnd): Transport {
  return {
    name: 'linked pair',
    async open({ context, handlers }) {
      const duplex = createDuplexConnection({
        context,
        handlers,
        write: (text) => end.send(JSON.parse(text) as never),
        close: () => end.close(),
      });
      end.onmessage = (message) => {
        duplex.receive(JSON.stringify(message));
      };
      end.onclose = () => duplex.end(context.fail('closed', 'the other end of the pair was closed.'));
      await end.start();
      return duplex.connection;
    },
  };
}
