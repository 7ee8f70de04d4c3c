import {
  type ErrorBody,
  type InputRequest,
  isJsonObject,
  type JsonObject,
  parseJson,
  parseJsonObject,
  present,
  stringifyJson,
  type Task,
} from '@switchyard/protocol';

import type { Leased } from '../effects/lease.ts';

/** How a task ended. `result` is the JSON text of the result that the request would have had. */
export type TaskEnd =
  | { readonly status: 'completed'; readonly result: string }
  | { readonly status: 'failed'; readonly error: ErrorBody }
  | { readonly status: 'cancelled' };

/** A question that the task put to its caller; with its answer it waits for the handler to take it. */
export interface TaskAsk {
  readonly request: InputRequest;
  readonly answer?: JsonObject;
}

/**
 * A task as it is stored; the process that runs its handler is the one that is alive. Times are milliseconds since the
 * epoch.
 */
export interface TaskRecord extends Leased {
  readonly tool: string;
  /** What the caller had to be allowed; a token of the same caller that is allowed less does not open the task. */
  readonly scopes?: readonly string[];
  readonly statusMessage?: string;
  readonly createdAt: number;
  readonly lastUpdatedAt: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly asks: { readonly [key: string]: TaskAsk };
  readonly cancelRequested?: true;
  /** Absent while the task runs; once there, the record never changes. */
  readonly end?: TaskEnd;
}

/** Answers the state of a task. */
export function statusOf({ end, asks }: TaskRecord): Task['status'] {
  if (end !== undefined) return end.status;
  return Object.values(asks).some(({ answer }) => answer === undefined) ? 'input_required' : 'working';
}

/** Answers what every message about a task says of it. */
export function taskOf(taskId: string, record: TaskRecord): Task {
  const { statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = record;
  return {
    taskId,
    status: statusOf(record),
    ...present({ statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

/**
 * Answers a task with what its state adds to it, as JSON text; the numbers of the result stay digit for digit what they
 * were.
 */
export function detailedTaskText(taskId: string, record: TaskRecord): string {
  const head = stringifyJson(taskOf(taskId, record)).slice(0, -1);
  const { end } = record;
  if (end?.status === 'completed') return `${head},"result":${end.result}}`;
  if (end?.status === 'failed') return `${head},"error":${stringifyJson(end.error)}}`;
  const open = Object.entries(record.asks).filter(([, { answer }]) => answer === undefined);
  if (end !== undefined || open.length === 0) return `${head}}`;
  const inputRequests = Object.fromEntries(open.map(([key, { request }]) => [key, request]));
  return `${head},"inputRequests":${stringifyJson(inputRequests)}}`;
}

/** Answers a record as text; integers of questions and errors keep their digits. */
export function taskRecordText(record: TaskRecord): string {
  return stringifyJson(record);
}

/** Reads what {@link taskRecordText} made; `undefined` for what is no task. */
export function parseTaskRecord(text: string): TaskRecord | undefined {
  const value = readJson(text);
  return isTaskRecord(value) ? value : undefined;
}

function readJson(text: string): unknown {
  try {
    return parseJson(text, { exactIntegers: true });
  } catch {
    return undefined;
  }
}

const times = ['createdAt', 'lastUpdatedAt', 'aliveUntil'] as const;
const durations = ['ttlMs', 'pollIntervalMs'] as const;
/** The latest time that a date has. */
const MAX_TIME = 8.64e15;

/**
 * Everything is looked at that a message about the task is made of: what is stored may be another program's, or a newer
 * version's.
 */
function isTaskRecord(value: unknown): value is TaskRecord {
  if (!isJsonObject(value) || typeof value['tool'] !== 'string') return false;
  const { scopes = [], statusMessage = '', asks, end } = value;
  return (
    times.every((name) => isTime(value[name])) &&
    durations.every((name) => Number.isSafeInteger(value[name])) &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string') &&
    typeof statusMessage === 'string' &&
    isJsonObject(asks) &&
    Object.values(asks).every(isTaskAsk) &&
    (end === undefined || isTaskEnd(end))
  );
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME;
}

function isTaskAsk(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    isJsonObject(value['request']) &&
    typeof value['request']['method'] === 'string' &&
    (value['answer'] === undefined || isJsonObject(value['answer']))
  );
}

function isTaskEnd(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { status, result, error } = value;
  if (status === 'completed') return typeof result === 'string' && parseJsonObject(result) !== undefined;
  if (status === 'failed')
    return isJsonObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string';
  return status === 'cancelled';
}
