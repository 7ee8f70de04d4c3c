import { type ErrorBody, errorCodes, type InputRequest, type JsonObject, present } from '@switchyard/protocol';

import { isAlive, signOfLife } from '../effects/lease.ts';
import type { TaskEnd, TaskRecord } from './task-record.ts';

/**
 * One step of a task: what becomes of the record, or `undefined` where it stays as it is. A task that has ended never
 * changes. Pure, since whoever loses a race applies it again to what the winner wrote.
 */
export type TaskChange = (record: TaskRecord) => TaskRecord | undefined;

/** The process that runs the task is alive. */
export function renewed(now: number): TaskChange {
  return whileRunning((record) => ({ ...record, ...signOfLife(now) }));
}

/** The handler asks its caller; once cancellation was requested nobody is asked any more. */
export function asked(key: string, request: InputRequest, now: number): TaskChange {
  return whileRunning((record) =>
    record.cancelRequested === true
      ? undefined
      : { ...record, asks: { ...record.asks, [key]: { request } }, lastUpdatedAt: now },
  );
}

/** The caller answers: each question once, and nothing that was not asked. */
export function answered(responses: { readonly [key: string]: JsonObject }, now: number): TaskChange {
  return whileRunning((record) => {
    const open = Object.entries(record.asks).filter(
      ([key, { answer }]) => answer === undefined && Object.hasOwn(responses, key),
    );
    if (open.length === 0) return undefined;
    const given = open.map(([key, { request }]) => [key, { request, answer: responses[key] as JsonObject }] as const);
    return { ...record, asks: { ...record.asks, ...Object.fromEntries(given) }, lastUpdatedAt: now };
  });
}

/** The handler has these answers. */
export function taken(keys: ReadonlySet<string>): TaskChange {
  return whileRunning((record) => {
    const left = Object.entries(record.asks).filter(([key]) => !keys.has(key));
    return left.length === Object.keys(record.asks).length ? undefined : { ...record, asks: Object.fromEntries(left) };
  });
}

/** The handler says how far it is. */
export function described(
  said: { readonly statusMessage?: string | undefined; readonly pollIntervalMs?: number | undefined },
  now: number,
): TaskChange {
  return whileRunning((record) => ({ ...record, ...present(said), lastUpdatedAt: now }));
}

/** The caller wants the task to end. What was asked is asked no more. */
export function cancelRequested(now: number): TaskChange {
  return whileRunning((record) =>
    record.cancelRequested === true
      ? undefined
      : {
          ...record,
          asks: {},
          cancelRequested: true,
          statusMessage: 'Cancellation was requested',
          lastUpdatedAt: now,
        },
  );
}

/** The task ends. */
export function ended(end: TaskEnd, statusMessage: string | undefined, now: number): TaskChange {
  return whileRunning((record) => {
    const { statusMessage: _last, ...rest } = record;
    return { ...rest, ...present({ statusMessage }), asks: {}, end, lastUpdatedAt: now };
  });
}

/** The process that ran the task gave no sign of life for too long: the task ends. */
export function lapsed(now: number): TaskChange {
  return whileRunning((record) => {
    if (isAlive(record, now)) return undefined;
    return record.cancelRequested === true
      ? ended({ status: 'cancelled' }, 'Cancelled; the process that ran the task is gone', now)(record)
      : ended({ status: 'failed', error: processGone }, PROCESS_GONE, now)(record);
  });
}

const PROCESS_GONE = 'The process that ran the task is gone; what the task did until then is not known';
const processGone: ErrorBody = { code: errorCodes.internalError.code, message: PROCESS_GONE };

/** Never back in time, whatever the clock of the process that makes the change says. */
function whileRunning(change: TaskChange): TaskChange {
  return (record) => {
    const next = record.end === undefined ? change(record) : undefined;
    return next === undefined || next.lastUpdatedAt >= record.lastUpdatedAt
      ? next
      : { ...next, lastUpdatedAt: record.lastUpdatedAt };
  };
}
