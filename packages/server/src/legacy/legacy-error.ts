import {
  errorCodes,
  isJsonObject,
  legacyResourceNotFound,
  modernErrorCodes,
  ProtocolError,
} from '@switchyard/protocol';

/**
 * Answers an error as the legacy revisions have it: a resource that was not found is -32002, and codes that came with
 * this revision are -32600. Its status is 200 but where it refuses the caller: a client takes a 404 for the end of its
 * session.
 *
 * Spec: 2025-11-25/server/resources#error-handling, 2025-11-25/basic/transports#session-management.
 */
export function toLegacyError(method: string, error: ProtocolError): ProtocolError {
  const status = error.status === 401 || error.status === 403 ? error.status : 200;
  const code = legacyCode(method, error);
  if (code === error.code && status === error.status) return error;
  return new ProtocolError(code, error.message, {
    data: error.data,
    status,
    cause: error,
    ...(error.headers === undefined ? {} : { headers: error.headers }),
  });
}

function legacyCode(method: string, { code, data }: ProtocolError): number {
  if (modernErrorCodes.has(code)) return errorCodes.invalidRequest.code;
  const isNotFound =
    method === 'resources/read' &&
    code === errorCodes.invalidParams.code &&
    isJsonObject(data) &&
    typeof data['uri'] === 'string';
  return isNotFound ? legacyResourceNotFound : code;
}
