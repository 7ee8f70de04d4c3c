import type { Verdict } from '@switchyard/host';
import { present } from '@switchyard/protocol';
import { exitCodes, Failure } from '../failure.ts';
import { withoutApi } from './without-api.ts';

/**
 * Answers the failure that a verdict of the host means on this machine, where the operator may know what a remote
 * caller may not: whether a name is denied or unknown, why a server is not there, and what the server wrote to stderr.
 */
export function verdictFailure(verdict: Verdict, hint = ''): Failure {
  const { reason, message, server, code, details } = verdict;
  const isDenial = reason === 'denied' || reason === 'approval-required';
  const why = details?.cause === undefined ? '' : ` The cause: ${withoutApi(details.cause, { hasTimes: true })}`;
  const longer = reason === 'timeout' ? ' Give it longer with --timeout SECONDS.' : '';
  return new Failure(reason, message + why + longer + hint, {
    exitCode: isDenial ? exitCodes.denied : exitCodes.failure,
    ...present({ server, code, lines: details?.stderr }),
  });
}
