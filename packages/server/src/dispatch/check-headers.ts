import {
  checkParamHeaders,
  clip,
  decodeHeaderValue,
  encodeHeaderValue,
  httpHeaders,
  type JsonObject,
  type Method,
  type ParamHeaders,
  ProtocolError,
  type Request,
  type RequestMetadata,
  stripOptionalWhitespace,
} from '@switchyard/protocol';

/** @throws ProtocolError -32020 when the headers of a request do not repeat its version, method and name. */
export function assertStandardHeaders(
  request: Request,
  metadata: RequestMetadata,
  method: Method | undefined,
  header: (key: string) => string | undefined,
): void {
  const { protocolVersion, method: methodHeader, name: nameHeader } = httpHeaders;
  const name = method?.nameFrom === undefined ? undefined : request.params?.[method.nameFrom];
  const missing = (): ProtocolError =>
    missingHeaders(
      [
        { ...protocolVersion, value: metadata.protocolVersion },
        { ...methodHeader, value: request.method },
        ...(typeof name === 'string' ? [{ ...nameHeader, value: name }] : []),
      ].filter(({ key }) => header(key) === undefined),
    );
  assertHeader(protocolVersion.name, stripped(header(protocolVersion.key)), metadata.protocolVersion, missing);
  assertHeader(methodHeader.name, stripped(header(methodHeader.key)), request.method, missing);
  if (typeof name !== 'string') return;
  const raw = header(nameHeader.key);
  const decoded = raw === undefined ? undefined : decodeHeaderValue(raw);
  if (raw !== undefined && decoded === undefined) {
    throw new ProtocolError(
      'headerMismatch',
      `The header ${nameHeader.name} holds characters or Base64 that a header value may not hold`,
    );
  }
  assertHeader(nameHeader.name, decoded, name, missing);
}

function stripped(value: string | undefined): string | undefined {
  return value === undefined ? undefined : stripOptionalWhitespace(value);
}

function assertHeader(name: string, found: string | undefined, expected: string, missing: () => ProtocolError): void {
  if (found === expected) return;
  if (found === undefined) throw missing();
  throw new ProtocolError('headerMismatch', `The header ${name} does not repeat the value in the body`);
}

/** Names all of them at once, as they are to be sent. */
function missingHeaders(headers: readonly { readonly name: string; readonly value: string }[]): ProtocolError {
  const lines = headers.map(({ name, value }) => `"${name}: ${shownValue(value)}"`).join(', ');
  const [what, verb] = headers.length === 1 ? ['header', 'is'] : ['headers', 'are'];
  return new ProtocolError('headerMismatch', `The ${what} ${lines} ${verb} missing: each repeats a value of the body`);
}

function shownValue(value: string): string {
  try {
    return clip(encodeHeaderValue(value));
  } catch {
    return '…';
  }
}

/** @throws ProtocolError -32020 when the `Mcp-Param-*` headers of a call do not repeat its arguments. */
export function assertParamHeaders(
  plan: ParamHeaders,
  params: JsonObject,
  header: (key: string) => string | undefined,
): void {
  const problem = checkParamHeaders(plan, params['arguments'] ?? {}, header);
  if (problem !== undefined) throw new ProtocolError('headerMismatch', problem);
}
