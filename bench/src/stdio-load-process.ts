import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { nextMessage } from '../../scripts/next-message.ts';
import type { Sample } from './measure.ts';

/** What the benchmark asks of the load: to drive a program at a depth for a time. */
export interface StdioRun {
  readonly program: string;
  readonly line: string;
  readonly expects: string;
  /** How many requests are in flight. */
  readonly depth: number;
  readonly seconds: number;
}

// The load owns the pipes of what it measures, and runs in a process of its own beside it.
const servers = new Map<string, ChildProcess>();
let nextId = 100_000_000;

process.on('message', (run: StdioRun) => {
  drive(run).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => {
  for (const server of servers.values()) server.kill();
  process.exit(0);
});

function serverOf(program: string): ChildProcess {
  let server = servers.get(program);
  if (server === undefined) {
    const path = fileURLToPath(new URL(`servers/${program}.ts`, import.meta.url));
    server = spawn(process.execPath, ['--conditions=@switchyard/source', path], {
      stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
    });
    server.stdout?.setEncoding('utf8');
    servers.set(program, server);
  }
  return server;
}

async function cpuOf(server: ChildProcess): Promise<number> {
  server.send('cpu');
  return ((await nextMessage(server)) as { cpu: number }).cpu;
}

async function drive({ program, line, expects, depth, seconds }: StdioRun): Promise<Sample> {
  const server = serverOf(program);
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) throw new Error(`${program} has no pipes`);
  const [before, after] = line.split('%ID%');
  const cpu = await cpuOf(server);
  const started = performance.now();
  const until = started + seconds * 1000;
  let requests = 0;
  let inFlight = 0;
  let rest = '';
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const send = (): void => {
    inFlight += 1;
    stdin.write(`${before ?? ''}${nextId++}${after ?? ''}\n`);
  };
  const receive = (chunk: string): void => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const answer of lines) {
      if (!answer.includes(expects))
        return reject(new Error(`unexpected answer of ${program}: ${answer.slice(0, 500)}`));
      requests += 1;
      inFlight -= 1;
      if (performance.now() < until) send();
      else if (inFlight === 0) return resolve();
    }
    return undefined;
  };
  const exit = (code: number | null): void => reject(new Error(`${program} ended with code ${code}`));
  stdout.on('data', receive);
  server.once('exit', exit);
  try {
    for (let index = 0; index < depth; index += 1) send();
    await done;
  } finally {
    stdout.off('data', receive);
    server.off('exit', exit);
  }
  return { requests, seconds: (performance.now() - started) / 1000, cpuMicroseconds: (await cpuOf(server)) - cpu };
}
