import type { ClientCapabilities, ExtensionId } from '@switchyard/protocol';

import { missingCapabilities } from './missing-capabilities.ts';

/** Answers whether a client declares an extension, on the request whose capabilities these are. */
export function declaresExtension({ extensions }: ClientCapabilities, id: ExtensionId): boolean {
  return extensions !== undefined && Object.hasOwn(extensions, id);
}

/** @throws ProtocolError -32021 when a client does not declare an extension. */
export function assertExtension(declared: ClientCapabilities, id: ExtensionId): void {
  if (!declaresExtension(declared, id)) throw missingCapabilities({ extensions: { [id]: {} } });
}
