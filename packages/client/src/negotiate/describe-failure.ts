import { errorCodes, everyRevision, ProtocolError } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { isMeaningful } from '../session/era-evidence.ts';

/** With these an endpoint says that it does not take the POSTs of Streamable HTTP. */
const statusesOfOtherEndpoints: ReadonlySet<number> = new Set([400, 404, 405]);

/** Over HTTP a server that does not know `initialize` says so with its code; this one serves nothing at that path. */
function isOtherPath({ code, status }: ProtocolError): boolean {
  return status === errorCodes.methodNotFound.status && code !== errorCodes.methodNotFound.code;
}

/**
 * Answers the error for a server that failed at `initialize` after it had failed at `server/discover`, for the `reason`
 * given as one clause: the two belong together, since only both tell what the server is.
 */
export function describeFailure(context: PeerContext, error: unknown, reason: string): unknown {
  if (error instanceof ProtocolError && isOtherPath(error)) {
    const { status } = error;
    return context.fail(
      'http-status',
      `it answered initialize with HTTP ${status}: ${excerpt(error.message)} (${error.code}). ` +
        'Look whether the path of the URL is that of the MCP endpoint.',
      { cause: error, status },
    );
  }
  if (error instanceof ProtocolError) {
    return context.fail(
      'version',
      `it refused initialize with the error ${error.code} ${excerpt(error.message)}, and before that ${reason}. ` +
        `This client speaks ${everyRevision.join(', ')}; look whether this is an MCP server of one of them.`,
      { cause: error },
    );
  }
  if (error instanceof ClientError && error.code === 'http-status' && statusesOfOtherEndpoints.has(error.status ?? 0)) {
    return context.fail(
      'http-status',
      `it answered initialize with HTTP ${error.status}, and before that ${reason}. Look whether the URL is that of ` +
        'the MCP endpoint, of Streamable HTTP or of the HTTP+SSE transport of revision 2024-11-05.',
      { cause: error, ...(error.status === undefined ? {} : { status: error.status }) },
    );
  }
  return error;
}

/** Answers whether an error of {@link describeFailure} says that the endpoint takes no POST of Streamable HTTP. */
export function isOtherEndpoint(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== 'http-status' || error.status === undefined) return false;
  return error.status >= 400 && isMeaningful(error.status);
}
