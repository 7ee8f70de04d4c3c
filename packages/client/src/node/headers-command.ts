/** A command that prints headers. It is started without a shell. */
export interface HeadersCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables of the command, beside the few that programs need to start. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** How long it may take, in milliseconds. Default 10,000; then it is killed. */
  readonly timeoutMs?: number;
  /** The environment from which the minimal one is taken. Default: that of this process. */
  readonly baseEnv?: Readonly<Record<string, string | undefined>>;
}
