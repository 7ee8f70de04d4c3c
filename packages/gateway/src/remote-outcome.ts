import {
  type Operation,
  type OperationMethod,
  type OperationResults,
  type Outcome,
  outcomeToResult,
} from '@switchyard/host';
import { isJsonObject, metaKeys } from '@switchyard/protocol';

/**
 * Answers an outcome as a remote caller may see it, or throws the `ProtocolError` that stands for it. Results are
 * passed on unchanged but for two members that speak of another hop: the server's `serverInfo`, in whose place the
 * gateway puts its own, and a `public` cache scope, which does not hold behind a policy.
 */
export function toRemote<M extends OperationMethod>(operation: Operation<M>, outcome: Outcome<M>): OperationResults[M] {
  const result = outcomeToResult(operation, outcome);
  return outcome.kind === 'completed' ? ofThisHop(result) : result;
}

function ofThisHop<R extends OperationResults[OperationMethod]>(result: R): R {
  const { _meta: meta } = result;
  const isPublic = 'cacheScope' in result && result.cacheScope !== 'private';
  const namesServer = isJsonObject(meta) && Object.hasOwn(meta, metaKeys.serverInfo);
  if (!isPublic && !namesServer) return result;
  const kept = namesServer
    ? Object.fromEntries(Object.entries(meta).filter(([key]) => key !== metaKeys.serverInfo))
    : meta;
  return {
    ...result,
    ...(isPublic ? { cacheScope: 'private' } : {}),
    ...(kept === undefined ? {} : { _meta: kept }),
  };
}
