import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@switchyard/client';

/** Where text goes. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; `undefined` where there is none. */
  readonly columns: number | undefined;
}

/** A terminal at which somebody reads and types. */
export interface Person {
  readonly input: Readable;
  readonly output: Writable;
  /** Asks the process to end, as Ctrl-C does where no question takes it. */
  interrupt(): void;
  /** Tells how long nothing was typed. Default: the clock of the platform. */
  readonly clock?: Clock;
}

/** What the command takes from its process, so that a test can give it something else. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that the command was started in; absolute. */
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the process is asked to end (SIGINT, SIGTERM, SIGHUP). */
  readonly signal: AbortSignal;
  /** How a person starts this command again, such as `switchyard`. */
  readonly invocation: string;
  /** Reads a line that a person types; absent where nobody can. */
  readonly readLine?: (signal: AbortSignal) => Promise<string>;
  /** Whoever can be asked; absent where input, output or diagnostics are no terminal. */
  readonly person?: Person;
}
