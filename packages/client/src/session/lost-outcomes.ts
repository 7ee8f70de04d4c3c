import { present } from '@switchyard/protocol';
import { ClientError, withEffect } from '../peer/client-error.ts';
import type { Connection } from '../message/connection.ts';
import { isCut } from '../message/cut-answer.ts';
import { isUnsent } from '../message/unsent.ts';
import type { PeerContext } from '../peer/peer-context.ts';

const NOTHING = Promise.resolve(undefined);

/**
 * Answers a connection that tells lost outcomes from failures without effect: where a request that must not be sent
 * twice was handed over and its answer is lost, it rejects with code `outcome-unknown`. A request that met a connection
 * which had ended was not handed over, and who closes the connection himself learns of that as `closed`. HTTP 503 stays
 * what it is: most who send it are busy.
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
      if (end !== undefined) return answer.catch(throwUnsent);
      if (options.isRepeatable === true) return answer;
      return answer.catch((error: unknown) => {
        const wasClosedHere = end !== undefined && end.reason === undefined;
        if (wasClosedHere || !(error instanceof ClientError) || !isLoss(error) || isUnsent(error)) throw error;
        throw lostOutcome(context, request.method, error);
      });
    },
  };
}

function throwUnsent(error: unknown): never {
  throw error instanceof ClientError ? withEffect(error, false) : error;
}

/** Whether it is the answer that failed, and not the request: of redirects and of 503 nobody can say. */
function isLoss(error: ClientError): boolean {
  const { code, status = 0, mayHaveRun } = error;
  if (code === 'http-status') return mayHaveRun && status >= 400 && status !== 503;
  return code === 'closed' || code === 'start-failed' || isCut(error);
}

function lostOutcome(context: PeerContext, method: string, cause: ClientError): ClientError {
  const { status, stderr } = cause;
  return context.fail(
    'outcome-unknown',
    `${method} was sent and its answer is lost, so whether it took effect is not known, and it is not sent again. ` +
      `Look whether it did before you repeat it. What happened: ${cause.reason}`,
    { cause, ...(status === undefined ? {} : { status }), ...(stderr === undefined ? {} : { stderr }) },
  );
}
