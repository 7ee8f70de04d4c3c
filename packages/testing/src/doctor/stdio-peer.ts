import type { Clock } from '@switchyard/client';
import { type ServerExit, spawnServer } from '@switchyard/guards/node';
import { createLineDecoder, isJsonObject, type JsonObject, present } from '@switchyard/protocol';

import { type Heard, type NoAnswer, readResponse } from './heard.ts';

/** A program to start. */
export interface DoctorCommand {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

/** A process that was started, and everything it has written. */
export interface StdioPeer {
  /**
   * Sends a request and answers what came for it; it never rejects but with the reason of the signal. Several may wait,
   * each under an id of its own; an answer to one that is not waited for any more is left out.
   */
  ask(message: JsonObject, timeoutMs: number): Promise<Heard>;
  /** The lines on stdout that are no JSON objects, the first 20, each at most 2,000 characters. */
  readonly stray: readonly string[];
  /** How the process ended; `undefined` while it runs. */
  exit(): ServerExit | undefined;
  /** The last lines on stderr. */
  stderr(): readonly string[];
  close(): Promise<void>;
}

/** A request that waits. */
interface Waiting {
  settle(answer: Partial<Heard>): void;
  /** Takes the id of a response to nothing that was asked. */
  hear(otherId: string): void;
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** How many lines are kept that are no messages. */
export const MAX_STRAY = 20;
const MAX_STRAY_CHARS = 2_000;
const GRACE_MS = 500;
/** How long the exit is waited for after the end of stdout, which says little by itself. */
const EXIT_MS = 500;

/** Starts a program. Rejects with a SpawnError, or with the reason of the signal. Whoever started it closes it. */
export async function openStdioPeer(
  command: DoctorCommand,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<StdioPeer> {
  const process = await spawnServer({ ...command, signal });
  const stray: string[] = [];
  const asked = new Set<unknown>();
  const waiting = new Map<unknown, Waiting>();
  let exit: ServerExit | undefined;
  /** The last response without an id. */
  let unaddressed = '';
  let hasEnded = false;
  const decoder = createLineDecoder({
    maxLineBytes: MAX_LINE_BYTES,
    onLine(text) {
      if (!isMessage(text)) addStray(text);
      for (const [id, { settle, hear }] of waiting) {
        const { response, otherId, answered, isUnaddressed } = readResponse(text, id);
        if (otherId !== undefined && !asked.has(answered)) hear(otherId);
        // No client takes that for an answer: it is about something else that the server read.
        if (isUnaddressed === true) unaddressed = text;
        else if (response !== undefined) settle({ response, text });
      }
    },
    onInvalid: () => addStray('(a line that is not UTF-8)'),
    onOverflow: () => addStray(`(a line of more than ${MAX_LINE_BYTES} bytes)`),
  });
  process.stdout.on('data', (chunk: Uint8Array) => decoder.push(chunk));
  const exited = process.exited.then((how) => {
    exit = how;
    end();
  });
  process.stdout.once('close', () => clock.after(EXIT_MS, end));

  return {
    stray,
    exit: () => exit,
    stderr: () =>
      process
        .stderrTail()
        .split('\n')
        .filter((line) => line.trim() !== ''),
    async ask(message, timeoutMs) {
      const started = clock.now();
      const { promise, resolve } = Promise.withResolvers<Partial<Heard>>();
      const abort = (): void => resolve({});
      const stop = clock.after(timeoutMs, () =>
        resolve({
          text: unaddressed,
          failure: { kind: 'timeout', code: '', message: `nothing came within ${timeoutMs} ms` },
        }),
      );
      signal.addEventListener('abort', abort, { once: true });
      const { id } = message;
      let otherId: string | undefined;
      asked.add(id);
      waiting.set(id, {
        settle(answer) {
          waiting.delete(id);
          resolve(answer);
        },
        hear: (other) => (otherId = other),
      });
      try {
        if (hasEnded) resolve({ failure: closed });
        else process.stdin.write(`${JSON.stringify(message)}\n`);
        const answer = await promise;
        signal.throwIfAborted();
        return {
          text: '',
          header: () => undefined,
          elapsedMs: clock.now() - started,
          ...present({ otherId }),
          ...answer,
        };
      } finally {
        stop();
        signal.removeEventListener('abort', abort);
        waiting.delete(id);
      }
    },
    async close() {
      await process.close({ graceMs: GRACE_MS });
      await exited;
    },
  };

  function addStray(text: string): void {
    if (stray.length < MAX_STRAY && text.trim() !== '') stray.push(text.slice(0, MAX_STRAY_CHARS));
  }

  function end(): void {
    hasEnded = true;
    for (const { settle } of waiting.values()) settle({ failure: closed });
  }
}

const closed: NoAnswer = { kind: 'closed', code: '', message: 'the process ended' };

function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) || Array.isArray(value);
  } catch {
    // What is no JSON is no message.
    return false;
  }
}
