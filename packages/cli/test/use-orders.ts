import { afterAll, beforeAll } from 'vitest';
import { ordersConfiguration, serveOrders } from './orders-upstream.ts';
import { type Ended, type RunOptions, startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A folder with a configuration of one running server, for the tests of a file. */
export interface Orders {
  upstream(): Awaited<ReturnType<typeof serveOrders>>;
  folder(): string;
  /** Runs the command in the folder. */
  start(argv: readonly string[], options?: RunOptions): Promise<Ended>;
}

/** Opens the folder and the server before the tests of this file, and closes both after them. */
export function useOrders(): Orders {
  let upstream: Awaited<ReturnType<typeof serveOrders>>;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    upstream = await serveOrders();
    folder = await temporaryFolder({ 'switchyard.yaml': ordersConfiguration(upstream.url) });
  });
  afterAll(async () => {
    await upstream[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  return {
    upstream: () => upstream,
    folder: () => folder.path,
    start: (argv, options = {}) => startRun(argv, { cwd: folder.path, ...options }),
  };
}
