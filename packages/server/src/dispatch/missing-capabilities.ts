import { type ClientCapabilities, ProtocolError } from '@switchyard/protocol';

/**
 * Answers the error for a request that takes a client that declares more than this one does: `required` is what it
 * lacks.
 *
 * Spec: schema#missingrequiredclientcapabilityerror, extensions/overview (2026-07-28).
 */
export function missingCapabilities(required: ClientCapabilities): ProtocolError {
  const { extensions = {}, ...others } = required;
  const names = [...Object.keys(others), ...Object.keys(extensions).map((id) => `the extension ${id}`)];
  return new ProtocolError(
    'missingRequiredClientCapability',
    `The request needs a client that declares: ${names.join(', ')}`,
    { data: { requiredCapabilities: required } },
  );
}
