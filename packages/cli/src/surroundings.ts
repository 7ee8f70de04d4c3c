/** Where text goes. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; `undefined` where there is none. */
  readonly columns: number | undefined;
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
}
