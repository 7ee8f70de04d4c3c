import type { Sample } from '../measure.ts';

/** What the benchmark has a client do. */
export interface ClientRun {
  /** The port of a server on HTTP; absent: the client starts its own server on stdio. */
  readonly port?: number;
  /** Lists as many tools instead of calling one. */
  readonly lists?: number;
  /** Calls in flight. */
  readonly depth: number;
  readonly seconds: number;
}

/** A client that is connected. */
export interface BenchClient {
  /** One call of the addition, which rejects where the answer is not 5. */
  add(): Promise<void>;
  /** Lists all tools and answers how many there are. */
  list(): Promise<number>;
}

/**
 * Does what the benchmark asks of this process: `open` connects the client under measurement, once for each server.
 * Answers calls in the time, and the CPU time of this process, which is the client's; of lists, the 99th percentile of
 * their time, in milliseconds.
 */
export function serveRuns(open: (port: number | undefined) => Promise<BenchClient>): void {
  const opened = new Map<number | undefined, Promise<BenchClient>>();
  process.on('message', (run: ClientRun) => {
    drive(run).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  // Without the benchmark there is nothing to do; servers on stdio end with their input.
  process.once('disconnect', () => process.exit(0));

  async function drive({ port, lists, depth, seconds }: ClientRun): Promise<Sample | number> {
    const opening = opened.get(port) ?? open(port);
    opened.set(port, opening);
    const client = await opening;
    return lists === undefined ? callFor(client, depth, seconds) : listFor(client, lists, seconds);
  }

  async function listFor({ list }: BenchClient, tools: number, seconds: number): Promise<number> {
    const times: number[] = [];
    const until = performance.now() + seconds * 1000;
    for (let now = performance.now(); now < until; now = performance.now()) {
      const listed = await list();
      times.push(performance.now() - now);
      if (listed !== tools) throw new Error(`unexpected answer: ${listed} tools`);
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN;
  }

  async function callFor({ add }: BenchClient, depth: number, seconds: number): Promise<Sample> {
    const before = process.cpuUsage();
    const started = performance.now();
    const until = started + seconds * 1000;
    let requests = 0;
    await Promise.all(
      Array.from({ length: depth }, async () => {
        while (performance.now() < until) {
          await add();
          requests += 1;
        }
      }),
    );
    const { user, system } = process.cpuUsage(before);
    return { requests, seconds: (performance.now() - started) / 1000, cpuMicroseconds: user + system };
  }
}

/** Throws where the answer of a tool is not that of the addition. */
export function assertFive(result: { readonly content?: unknown }): void {
  const [block] = result.content as readonly { readonly text?: string }[];
  if (block?.text !== '5') throw new Error(`unexpected answer: ${JSON.stringify(result)}`);
}

/** The command of a server on stdio of this folder's neighbour. */
export function serverCommand(program: string): { readonly command: string; readonly args: string[] } {
  const path = new URL(`../servers/${program}.ts`, import.meta.url).pathname;
  return { command: process.execPath, args: ['--conditions=@switchyard/source', path] };
}
