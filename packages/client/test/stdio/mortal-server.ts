import { createDuplexConnection, type DuplexConnection, type Transport } from '../../src/index.ts';
import { discovery, type Written } from '../scripted-peer.ts';

/** A server that ends at each call of a tool, and at its first request where it does not come up. */
export interface MortalServer {
  readonly transport: Transport;
  /** Whether it answers its first request; `never` is silent and goes on. */
  comesUp: boolean | 'never';
  /** When each start was, on the clock of the client. */
  readonly starts: number[];
  /** How many connections were open at once, at most. */
  readonly mostAlive: () => number;
  /** Ends the connection that was opened last. */
  drop(): void;
}

/** Creates one. It answers discovery and lists; a tool called `fine` answers, too. */
export function createMortalServer(): MortalServer {
  const starts: number[] = [];
  let last: (() => void) | undefined;
  let alive = 0;
  let mostAlive = 0;
  const server: MortalServer = {
    comesUp: true,
    starts,
    mostAlive: () => mostAlive,
    drop: () => last?.(),
    transport: {
      name: 'mortal',
      open({ context, handlers }) {
        starts.push(context.clock.now());
        alive += 1;
        mostAlive = Math.max(mostAlive, alive);
        let isOver = false;
        const die = (code: 'closed' | 'start-failed'): void => {
          duplex.end(context.fail(code, 'its process ended with exit code 1.', { stderr: 'no licence found' }));
          leave();
        };
        const leave = (): void => {
          if (!isOver) alive -= 1;
          isOver = true;
        };
        const duplex: DuplexConnection = createDuplexConnection({
          context,
          handlers,
          close: () => Promise.resolve(leave()),
          write(text) {
            const { id, method, params } = JSON.parse(text) as Written;
            const answer = (result: object): void =>
              void duplex.receive(JSON.stringify({ jsonrpc: '2.0', id, result }));
            if (server.comesUp === 'never') return Promise.resolve();
            if (!server.comesUp) die('start-failed');
            else if (method === 'server/discover') answer(discovery);
            else if (method === 'tools/list') answer({ tools: [] });
            else if (params?.['name'] === 'fine') answer({ resultType: 'complete', content: [] });
            else if (method === 'tools/call') die('closed');
            return Promise.resolve();
          },
        });
        last = () => die('closed');
        return Promise.resolve(duplex.connection);
      },
    },
  };
  return server;
}
