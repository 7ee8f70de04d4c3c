import { errorCodes, isJsonObject, legacyResourceNotFound, ProtocolError } from '@switchyard/protocol';

/**
 * Answers whether an error of `readResource` says that there is no such resource: -32602 with the `uri` in its data, or
 * -32002, which servers sent before 2026-07-28.
 *
 * Spec: server/resources#error-handling (2026-07-28).
 */
export function isResourceNotFound(error: unknown): boolean {
  if (!(error instanceof ProtocolError)) return false;
  if (error.code === legacyResourceNotFound) return true;
  return (
    error.code === errorCodes.invalidParams.code && isJsonObject(error.data) && typeof error.data['uri'] === 'string'
  );
}
