/**
 * How much of what was written may wait in memory for a caller before further notifications to it are dropped: 1 MiB.
 * Progress and log messages may be left out at any time, so a handler that reports faster than its caller reads costs
 * no memory.
 *
 * Spec: basic/patterns/progress, server/utilities/logging (2026-07-28).
 */
export const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * How much of what was written may wait in memory for a client of one stream before it gets no further requests served,
 * and is asked nothing further: 16 MiB. Answers and asks may not be left out, and would fill the memory.
 */
export const MAX_UNANSWERED_BYTES = 16 * 1024 * 1024;
