/** Revisions that carry all context in each request. Spec: basic/versioning (2026-07-28). */
export const modernRevisions = ['2026-07-28'] as const;

/** Revisions that begin with `initialize`, newest first. Spec: basic/versioning#terminology (2026-07-28). */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** A revision out of {@link modernRevisions}. */
export type ModernRevision = (typeof modernRevisions)[number];
/** A revision out of {@link legacyRevisions}. */
export type LegacyRevision = (typeof legacyRevisions)[number];
/** A revision that Switchyard speaks. */
export type Revision = ModernRevision | LegacyRevision;

/** All revisions, newest first. */
export const everyRevision: readonly Revision[] = [...modernRevisions, ...legacyRevisions];

/** The revision that Switchyard speaks by preference. */
export const latestRevision: ModernRevision = modernRevisions[0];

/** Answers whether a value is the name of a modern revision. */
export function isModernRevision(value: unknown): value is ModernRevision {
  return (modernRevisions as readonly unknown[]).includes(value);
}

/** Answers whether a value is the name of a legacy revision. */
export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return (legacyRevisions as readonly unknown[]).includes(value);
}

/** Answers whether messages of a legacy revision may come in batches. Spec: 2025-03-26/basic#batching. */
export function acceptsBatches(revision: LegacyRevision): boolean {
  return revision === '2025-03-26';
}

/**
 * Answers whether each request over HTTP after `initialize` repeats a legacy revision in `MCP-Protocol-Version`; those
 * before 2025-06-18 have no such header. Spec: 2025-06-18/basic/transports#protocol-version-header.
 */
export function sendsVersionHeader(revision: LegacyRevision): boolean {
  return revision !== '2025-03-26' && revision !== '2024-11-05';
}

/** Answers whether a legacy revision is `oldest` or a newer one. */
export function isAtLeast(revision: LegacyRevision, oldest: LegacyRevision): boolean {
  return revision >= oldest;
}
