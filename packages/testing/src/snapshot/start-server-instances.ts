import { redactSecrets } from '@switchyard/guards';
import { type ServerProcess, SpawnError, spawnServer } from '@switchyard/guards/node';
import { assertKnownOptions, createLineDecoder, type KnownOptions } from '@switchyard/protocol';

import { RawConnectionError } from '../raw/raw-connection.ts';

/** A program that serves over HTTP. */
export interface ServerInstanceCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
}

/** Instances that listen. */
export interface ServerInstances extends AsyncDisposable {
  /** The URL that each of them printed. */
  readonly urls: readonly string[];
}

/** How instances are started. */
export interface StartServerInstancesOptions {
  /** Gives up the start. */
  readonly signal?: AbortSignal;
}

const startServerInstancesOptions: KnownOptions<StartServerInstancesOptions> = { signal: true };

const START_MS = 30_000;
const MAX_LINE_BYTES = 64 * 1024;
/** What serves over HTTP does not end with its input. */
const GRACE_MS = 0;

/**
 * Starts a program several times and waits until each has printed the URL at which it listens, the first on a line of
 * standard output or error; 30 s at most. Rejects with a RawConnectionError, `unreachable` or `closed` where it was
 * given up, and then none of them runs. Whoever started them closes them.
 */
export async function startServerInstances(
  command: ServerInstanceCommand,
  count: number,
  options: StartServerInstancesOptions = {},
): Promise<ServerInstances> {
  assertKnownOptions('startServerInstances', options, startServerInstancesOptions);
  const processes: ServerProcess[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.close({ graceMs: GRACE_MS })));
  };
  try {
    const urls: string[] = [];
    // One after the other: the first makes the storage that they share.
    for (let index = 0; index < count; index += 1) {
      if (options.signal?.aborted === true) throw gaveUp(command);
      urls.push(await start(command, processes, options));
    }
    return { urls, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  command: ServerInstanceCommand,
  processes: ServerProcess[],
  { signal }: StartServerInstancesOptions,
): Promise<string> {
  const printed = Promise.withResolvers<string>();
  const onLine = (line: string): void => {
    const url = /https?:\/\/[^\s"'<>]+/.exec(line)?.[0];
    if (url !== undefined) printed.resolve(url);
  };
  let process: ServerProcess;
  try {
    process = await spawnServer({ ...command, onStderr: onLine });
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error;
    throw new RawConnectionError('unreachable', error.message, { cause: error });
  }
  processes.push(process);
  const decoder = createLineDecoder({
    maxLineBytes: MAX_LINE_BYTES,
    onLine,
    onOverflow: () => undefined,
    onInvalid: () => undefined,
  });
  process.stdout.on('data', (chunk: Uint8Array) => decoder.push(chunk));
  const fail = (why: string): void =>
    printed.reject(
      new RawConnectionError(
        'unreachable',
        `${command.command} ${why}. It wrote: ${redactSecrets(process.stderrTail(20))}`,
      ),
    );
  void process.exited.then(() => fail('ended before it printed the URL at which it listens'));
  const timer = setTimeout(() => fail(`printed no URL within ${START_MS} ms`), START_MS);
  const giveUp = (): void => printed.reject(gaveUp(command));
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted === true) giveUp();
  try {
    return await printed.promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

function gaveUp({ command }: ServerInstanceCommand): RawConnectionError {
  return new RawConnectionError('closed', `the start of ${command} was given up`);
}
