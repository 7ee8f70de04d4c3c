/** A server to start as a child process. */
export interface Command {
  /** A program in the child's PATH, or a path; a relative one counts from `cwd`. No shell reads it. */
  readonly command: string;
  /** Handed over exactly as they are. Values that look like credentials are masked in messages. */
  readonly args?: readonly string[];
  /**
   * Variables on top of the minimal environment, which is all that the child inherits. Values that look like
   * credentials are masked in messages.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: that of this process. */
  readonly cwd?: string;
  /** The environment from which the minimal one is taken. Default: that of this process. */
  readonly baseEnv?: Readonly<Record<string, string | undefined>>;
  /**
   * Gets each line that the child writes to stderr, as it comes: without its end, control characters and secrets, at
   * most 2,000 characters. Nothing limits how many there are.
   */
  readonly onStderr?: (line: string) => void;
}
