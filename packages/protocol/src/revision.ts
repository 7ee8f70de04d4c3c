/** Revisions that carry all context in each request. Spec: basic/versioning (2026-07-28). */
export const modernRevisions = ['2026-07-28'] as const;

/** Revisions that begin with `initialize`, newest first. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export type ModernRevision = (typeof modernRevisions)[number];
export type LegacyRevision = (typeof legacyRevisions)[number];
export type Revision = ModernRevision | LegacyRevision;

/** The revision that Switchyard speaks by preference. */
export const latestRevision: ModernRevision = modernRevisions[0];

export function isModernRevision(value: unknown): value is ModernRevision {
  return (modernRevisions as readonly unknown[]).includes(value);
}

export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return (legacyRevisions as readonly unknown[]).includes(value);
}
