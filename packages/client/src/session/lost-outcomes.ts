import { present } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import type { Connection } from '../message/connection.ts';
import { isUnsent } from '../message/unsent.ts';
import type { PeerContext } from '../peer/peer-context.ts';

const NOTHING = Promise.resolve();

/** With these a proxy says that it handed the request on and got no answer that it could use. */
const statusesOfLostAnswers: ReadonlySet<number | undefined> = new Set([502, 504]);

/**
 * Answers a connection that tells lost outcomes from failures without effect: where a request that must not be sent
 * twice was handed over and its answer is lost, it rejects with code `outcome-unknown`. A request that met a connection
 * which had ended was not handed over, and who closes the connection himself learns of that as `closed`.
 */
export function withLostOutcomes(context: PeerContext, connection: Connection): Connection {
  let end: { readonly reason: ClientError | undefined } | undefined;
  void connection.closed.then((reason) => {
    end = { reason };
  });
  return {
    kind: connection.kind,
    ...present({ era: connection.era }),
    closed: connection.closed,
    send: (message, options) => connection.send(message, options),
    close: (session) => connection.close(session),
    ...(connection.listen === undefined ? {} : { listen: (options) => connection.listen?.(options) ?? NOTHING }),
    ...(connection.principal === undefined ? {} : { principal: () => connection.principal?.() }),
    ...(connection.lastWords === undefined ? {} : { lastWords: () => connection.lastWords?.() ?? '' }),
    request(request, options) {
      const answer = connection.request(request, options);
      if (options.isRepeatable === true || end !== undefined) return answer;
      return answer.catch((error: unknown) => {
        const wasClosedHere = end !== undefined && end.reason === undefined;
        if (wasClosedHere || !(error instanceof ClientError) || !isLoss(error) || isUnsent(error)) throw error;
        throw lostOutcome(context, request.method, error);
      });
    },
  };
}

function isLoss({ code, status }: ClientError): boolean {
  if (code === 'http-status') return statusesOfLostAnswers.has(status);
  return code === 'closed' || code === 'start-failed';
}

function lostOutcome(context: PeerContext, method: string, cause: ClientError): ClientError {
  const { status, stderr } = cause;
  const prefix = `MCP server "${context.server}": `;
  const [said = ''] = cause.message.slice(cause.message.startsWith(prefix) ? prefix.length : 0).split('\n', 1);
  return context.fail(
    'outcome-unknown',
    `${method} was sent and its answer is lost, so whether it took effect is not known, and it is not sent again. ` +
      `Look whether it did before you repeat it. What happened: ${said}`,
    { cause, ...(status === undefined ? {} : { status }), ...(stderr === undefined ? {} : { stderr }) },
  );
}
