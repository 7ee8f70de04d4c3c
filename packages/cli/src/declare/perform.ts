import type { Terminal } from '../terminal.ts';

/** One run of a verb; answers the exit code. */
export type Run = (terminal: Terminal) => Promise<number>;

/** Is given what is to be run when the command line says so. */
export type Perform = (run: Run) => Promise<void>;
