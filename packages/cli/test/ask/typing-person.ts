import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '@switchyard/client';
import { type Ended, type RunOptions, startRun } from '../start-run.ts';

/** What is typed once the terminal shows something, in this order. */
export type Script = readonly (readonly [shown: RegExp, typed: string])[];

/** What the terminal of a person showed, and what became of the command. */
export interface Sat extends Ended {
  /** Prompts and diagnostics as they came, without control sequences. */
  readonly shown: string;
  /** What was left to type. */
  readonly left: number;
  readonly interrupted: boolean;
}

export const ENTER = '\r';
export const CTRL_C = '\u0003';

/** Nothing was typed for as long as anybody waits for it. */
export const quietClock: Clock = {
  now: () => 0,
  after(_delayMs, task) {
    const soon = setImmediate(task);
    return () => clearImmediate(soon);
  },
};

/** How somebody sits at a terminal. */
export interface SeatOptions extends RunOptions {
  /** Is told what is shown, with its control sequences. */
  readonly onRaw?: (text: string) => void;
}

/** Runs the command at a terminal where somebody types by a script. */
export async function sitAt(argv: readonly string[], script: Script, options: SeatOptions = {}): Promise<Sat> {
  const input = new PassThrough();
  const interrupt = new AbortController();
  const todo = [...script];
  let shown = '';
  let seen = 0;
  const show = (text: string): void => {
    options.onRaw?.(text);
    shown += stripVTControlCharacters(text);
    const [next] = todo;
    if (next === undefined) return;
    const found = next[0].exec(shown.slice(seen));
    if (found === null) return;
    seen += found.index + found[0].length;
    todo.shift();
    // Whoever asks listens only when what he shows is there.
    setImmediate(() => input.write(next[1]));
  };
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      show(chunk.toString());
      done();
    },
  });
  const ended = await startRun(argv, {
    isTerminal: true,
    env: { NO_COLOR: '1' },
    signal: interrupt.signal,
    ...options,
    onStderr: show,
    person: { input, output, clock: quietClock, interrupt: () => interrupt.abort(new Error('Ctrl-C')) },
  });
  return { ...ended, shown, left: todo.length, interrupted: interrupt.signal.aborted };
}
