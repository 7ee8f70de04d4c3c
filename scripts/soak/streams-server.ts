import process from 'node:process';

import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';

/** What the server tells its parent: where it is, and how much memory it takes after a collection. */
export interface StreamsReport {
  readonly url: string;
  readonly rssBytes: number;
}

/**
 * Run by itself: a server that reports on every message, and tells its listeners of a change on the message `change`.
 */
if (import.meta.main && process.send !== undefined) {
  const server = createServer({ name: 'streams', version: '1.0.0' }, { logger: silentLogger }).tool(
    'echo',
    {},
    () => 'here',
  );
  const running = await serveHttp(server, { port: 0 });
  const report = (): void => {
    globalThis.gc?.();
    process.send?.({ url: running.url, rssBytes: process.memoryUsage.rss() } satisfies StreamsReport);
  };
  process.on('message', (message) => {
    if (message === 'change') server.tool(`tool-${performance.now()}`, {}, () => '');
    else report();
  });
  process.on('disconnect', () => process.exit(0));
  report();
}
