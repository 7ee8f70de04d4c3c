import {
  errorCodes,
  isJsonObject,
  modernErrorCodes,
  type ModernRevision,
  modernRevisions,
  ProtocolError,
} from '@switchyard/protocol';

/**
 * Answers whether an error is one that only servers of modern revisions send, so that it proves the era of its sender.
 *
 * Spec: basic/versioning#backward-compatibility-with-initialization-based-versions (2026-07-28).
 */
export function isModernError(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && modernErrorCodes.has(error.code);
}

/** Answers the revisions that an unsupported-version error offers, or `undefined` for any other error. */
export function offeredRevisions(error: unknown): readonly string[] | undefined {
  if (!(error instanceof ProtocolError) || error.code !== errorCodes.unsupportedProtocolVersion.code) return undefined;
  const supported = isJsonObject(error.data) ? error.data['supported'] : undefined;
  return Array.isArray(supported) ? supported.filter((version): version is string => typeof version === 'string') : [];
}

/** Answers the newest of our modern revisions that is among `offered`. */
export function mutualRevision(offered: readonly string[]): ModernRevision | undefined {
  return modernRevisions.find((revision) => offered.includes(revision));
}
