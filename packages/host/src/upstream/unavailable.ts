import { ClientError } from '@switchyard/client';
import { redactedExcerpt } from '@switchyard/guards';
import { ProtocolError } from '@switchyard/protocol';

const MAX_SAID_CHARS = 2000;

/** Why a server cannot be used now. */
export interface Unavailability {
  /** One sentence that names the server; for this process only, since it may name paths of this machine. */
  readonly message: string;
  /** The last lines that the server wrote to stderr, cleaned; for this process only. */
  readonly stderr?: readonly string[];
}

/** Rejects the use of a server that is not there, while the next attempt to reach it is not due. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
  readonly unavailability: Unavailability;

  constructor(unavailability: Unavailability) {
    super(unavailability.message);
    this.unavailability = unavailability;
  }
}

/** Answers what a failure of a server says about why it cannot be used. */
export function unavailabilityOf(server: string, error: unknown): Unavailability {
  if (error instanceof UnavailableError) return error.unavailability;
  if (error instanceof ClientError) {
    const stderr = stderrLines(error);
    return { message: withoutStderr(error), ...(stderr === undefined ? {} : { stderr }) };
  }
  const said = redactedExcerpt(error instanceof Error ? error.message : String(error), MAX_SAID_CHARS);
  if (error instanceof ProtocolError) return { message: `MCP server "${server}" refused: ${said} (${error.code})` };
  return { message: `MCP server "${server}" cannot be used: ${said}` };
}

/** The message of a client's error without the lines of stderr. */
function withoutStderr(error: ClientError): string {
  return `MCP server "${error.server}": ${error.reason}`;
}

/** The lines that the server last wrote to stderr, where they are known. */
function stderrLines({ stderr }: ClientError): readonly string[] | undefined {
  return stderr === undefined || stderr === '' ? undefined : stderr.split('\n');
}
