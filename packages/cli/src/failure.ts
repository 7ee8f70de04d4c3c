/** What the exit code of the command says. */
export const exitCodes = {
  /** The tool answered, or the list was printed. */
  success: 0,
  /**
   * The tool ran and reports an error, or would have run with other arguments; a verification found something wrong.
   */
  toolError: 1,
  /**
   * Nothing usable came back: a protocol error, a server that cannot be reached, a wrong command line or configuration.
   */
  failure: 2,
  /** The agent's policy does not let it. */
  denied: 3,
  /** The caller interrupted it, as shells count it (128 + SIGINT). */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What is known of a failure beside its kind and message. */
export interface FailureDetails {
  /** Default {@link exitCodes.failure}. */
  readonly exitCode?: ExitCode;
  /** The JSON-RPC error code, where one came over the wire. */
  readonly code?: number;
  /** The configured name of the server. */
  readonly server?: string;
  /** Further lines for a person, such as what the server last wrote to stderr. */
  readonly lines?: readonly string[];
  /** Text of our own that mends it where it is pasted; shown as it stands, without indentation. */
  readonly paste?: string;
  readonly cause?: unknown;
}

/**
 * Why a verb did not do what it was asked. `kind` is for programs: `usage`, `configuration`, `protocol`, `interrupted`,
 * `internal`, `port`, a reason of the host's verdicts (`denied`, `unknown`, `timeout`, …), or a code of the client's or
 * the host's errors. `message` says what happened, what was expected and what to do.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: string;
  readonly exitCode: ExitCode;
  readonly code: number | undefined;
  readonly server: string | undefined;
  readonly lines: readonly string[];
  readonly paste: string | undefined;

  constructor(kind: string, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.exitCode = details.exitCode ?? exitCodes.failure;
    this.code = details.code;
    this.server = details.server;
    this.lines = details.lines ?? [];
    this.paste = details.paste;
  }
}

/** The failure of a command line that cannot be meant. */
export function usageFailure(message: string): Failure {
  return new Failure('usage', message);
}

/** Answers a failure whose message goes on with `more`, which brings its own separator. */
export function extendFailure(failure: Failure, more: string): Failure {
  const { kind, message, exitCode, code, server, lines, paste, cause } = failure;
  return new Failure(kind, `${message}${more}`, {
    exitCode,
    lines,
    cause,
    ...(code === undefined ? {} : { code }),
    ...(server === undefined ? {} : { server }),
    ...(paste === undefined ? {} : { paste }),
  });
}
