import { type ClientCapabilities, type ExtensionId, ProtocolError } from '@switchyard/protocol';

/** Answers whether a client declares an extension, on the request whose capabilities these are. */
export function declaresExtension({ extensions }: ClientCapabilities, id: ExtensionId): boolean {
  return extensions !== undefined && Object.hasOwn(extensions, id);
}

/**
 * The error for a request that takes a client that declares an extension.
 *
 * Spec: extensions/overview, schema#missingrequiredclientcapabilityerror (2026-07-28).
 */
export function missingExtension(id: ExtensionId): ProtocolError {
  return new ProtocolError(
    'missingRequiredClientCapability',
    `The request needs a client that declares the extension ${id} in its capabilities`,
    { data: { requiredCapabilities: { extensions: { [id]: {} } } } },
  );
}
