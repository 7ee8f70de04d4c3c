/**
 * How much of what was written may wait in memory for a caller before further notifications to it are dropped: 1 MiB. Progress
 * and log messages may be left out at any time, so a handler that reports faster than its caller reads costs no memory.
 *
 * Spec: basic/patterns/progress, server/utilities/logging (2026-07-28).
 */
export const MAX_UNREAD_BYTES = 1024 * 1024;
