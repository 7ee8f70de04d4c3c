import { isResourceNotFound } from '@switchyard/client';
import { type CallToolResult, errorCodes, ProtocolError } from '@switchyard/protocol';
import {
  kindOf,
  type Operation,
  type OperationMethod,
  type OperationResults,
  shownSubject,
  traitsOf,
} from './operation.ts';
import type { Outcome } from './outcome.ts';
import { toWireVerdict, type Verdict, verdictMetaKey, verdictReasons } from './verdict.ts';

/**
 * Answers an outcome in the form that travels: a result, or a thrown `ProtocolError`.
 *
 * | reason | tools/call | the others | | --- | --- | --- | | unknown, denied | -32602, the same words for both |
 * -32602, with the `uri` of a resource | | ambiguous | - | -32602 with the `uri` | | invalid-arguments | result with
 * `isError` and the verdict | -32602 with the verdict | | upstream-error | the server's own error, naming the server |
 * the same | | internal | -32603 | -32603 | | all others | result with `isError` and the verdict in `_meta` | the
 * positive code of the reason, the verdict as data |
 */
export function outcomeToResult<M extends OperationMethod>(
  operation: Operation<M>,
  outcome: Outcome<M>,
): OperationResults[M] {
  if (outcome.kind === 'completed') return outcome.result;
  const { verdict } = outcome;
  const error = toProtocolError(operation as Operation, verdict);
  if (error !== undefined) throw error;
  // Only a method with an error result has verdicts that are no protocol error, and a tool's result is the only such.
  return toToolResult(verdict) as OperationResults[M];
}

/** Answers a verdict on a tool call as a complete result that says so. */
function toToolResult(verdict: Verdict): CallToolResult {
  return {
    resultType: 'complete',
    content: [{ type: 'text', text: verdict.message }],
    isError: true,
    _meta: { [verdictMetaKey]: toWireVerdict(verdict) },
  };
}

function toProtocolError(operation: Operation, verdict: Verdict): ProtocolError | undefined {
  switch (verdict.reason) {
    case 'unknown':
    case 'denied':
      return notFound(operation, `Unknown ${kindOf(operation)}: ${shownSubject(operation)}`);
    case 'ambiguous':
      return notFound(operation, verdict.message);
    case 'upstream-error':
      return passedOn(operation, verdict);
    case 'internal':
      return new ProtocolError('internalError', verdict.message);
    default:
      if (traitsOf(operation).hasErrorResult) return undefined;
      return new ProtocolError(codeOf(verdict), verdict.message, { data: toWireVerdict(verdict) });
  }
}

function notFound(operation: Operation, message: string): ProtocolError {
  const data = kindOf(operation) === 'resource' ? { uri: shownSubject(operation) } : undefined;
  return new ProtocolError(errorCodes.invalidParams.code, message, { data });
}

function codeOf({ reason }: Verdict): number {
  const entry: { readonly code?: number } = verdictReasons[reason];
  return entry.code ?? errorCodes.invalidParams.code;
}

/**
 * Codes that speak of one exchange between two peers: handed on, they would be taken for a statement about another
 * exchange.
 */
const codesOfOneHop: ReadonlySet<number> = new Set(
  Object.entries(errorCodes)
    .filter(([name]) => name !== 'invalidParams' && name !== 'internalError')
    .map(([, { code }]) => code),
);

function passedOn(operation: Operation, verdict: Verdict): ProtocolError {
  const { upstream, message } = verdict;
  if (upstream === undefined || codesOfOneHop.has(upstream.code)) {
    return new ProtocolError(codeOf(verdict), message, { data: toWireVerdict(verdict) });
  }
  const error = new ProtocolError(upstream.code, message, { data: upstream.data });
  return kindOf(operation) === 'resource' && isResourceNotFound(error) ? notFound(operation, message) : error;
}
