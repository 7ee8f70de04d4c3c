import { parseArgs } from 'node:util';

import { legacyClients, type Logger, silentLogger } from '@switchyard/server';
import { type RunningServer, serveHttp } from '@switchyard/server/node';

import { createFixtureServer } from '../fixture/create-fixture-server.ts';

// One line a request would bury the line with the URL; what failed inside stays visible.
const logger: Logger = {
  ...silentLogger,
  error: (fields, message) => print(`${message}: ${describe(fields)}`),
};

const { values } = parseArgs({
  options: { port: { type: 'string', default: '7421' }, host: { type: 'string', default: '127.0.0.1' } },
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  print(`--port must be an integer from 0 to 65535, not ${values.port}`);
  process.exit(2);
}
try {
  const running = await serveHttp(createFixtureServer({ logger }), {
    port,
    host: values.host,
    // The suite looks for a stream that is closed before the answer.
    legacy: legacyClients({ streamAfterMs: 300, pollAfterMs: 600, retryMs: 200 }),
  });
  endOnSignal(running);
  print(`fixture server at ${running.url}`);
} catch (error) {
  print(`fixture server: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function endOnSignal(running: RunningServer): void {
  let ending = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(1);
      ending = true;
      void running.close().then(() => process.exit(0));
    });
  }
}

function describe(fields: object): string {
  const { err, ...others } = fields as { readonly err?: unknown };
  return `${JSON.stringify(others)} ${err instanceof Error ? (err.stack ?? err.message) : String(err)}`;
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}
