import { errorCodes, type Request, type Response } from '@switchyard/protocol';
import { excerpt } from '../excerpt.ts';
import type { PeerContext } from '../peer-context.ts';

const MAX_ANSWERS_UNDER_WAY = 100;

/**
 * Creates the handler for requests that a legacy server sends: `ping` gets `{}`, every other one -32601, since this
 * client declares no capability behind it. A server that asks without reading the answers is not answered beyond 100 of
 * them.
 *
 * Spec: 2025-11-25/basic/utilities/ping.
 */
export function serveLegacyRequests(
  context: PeerContext,
  respond: (response: Response) => Promise<void>,
): (request: Request) => void {
  let underWay = 0;
  return (request) => {
    if (underWay < MAX_ANSWERS_UNDER_WAY) void answer(request);
    else {
      const method = excerpt(request.method);
      context.warn('unexpected-request', `sends requests faster than it reads the answers; ${method} gets none.`);
    }
  };

  async function answer(request: Request): Promise<void> {
    underWay += 1;
    try {
      await respond(answerTo(request));
    } catch {
      // The connection is gone, and with it whoever asked.
    } finally {
      underWay -= 1;
    }
  }
}

function answerTo({ id, method }: Request): Response {
  if (method === 'ping') return { jsonrpc: '2.0', id, result: {} };
  const { code } = errorCodes.methodNotFound;
  return { jsonrpc: '2.0', id, error: { code, message: 'Method not found: this client serves ping only' } };
}
