import { assertKnownOptions, type KnownOptions, toLimit, toMilliseconds } from '@switchyard/protocol';

import { randomText } from '../state/random-text.ts';

/** Bounds of the tasks of a server. */
export interface TasksOptions {
  /**
   * How long a task is kept from its creation on unless its handler says otherwise, in milliseconds: default 3,600,000,
   * an hour.
   */
  readonly ttlMs?: number;
  /**
   * The longest that a handler may keep a task, in milliseconds: default 604,800,000, a week; at most about 12 days.
   */
  readonly maxTtlMs?: number;
  /** How often callers should look, in milliseconds: default 1,000. */
  readonly pollIntervalMs?: number;
  /** Handlers of tasks that run at once in this process: default 1,000. One more is refused with -32603. */
  readonly maxRunning?: number;
  /** The same for one caller: default 100. Callers without a principal are one. */
  readonly maxRunningPerCaller?: number;
  /**
   * Tasks of one caller that are kept at once, ended ones included, over all instances: default and at most 1,000.
   * Instances may together pass it by what they begin at the same moment.
   */
  readonly maxKeptPerCaller?: number;
  /**
   * How long the handler of a cancelled task may take to end before the task is `cancelled` without it, in
   * milliseconds: default 5,000.
   */
  readonly cancelGraceMs?: number;
  /**
   * Makes the id of a task: at least 128 random bits in 1 to 128 characters of `A-Z a-z 0-9 _ -`. Default: 144 random
   * bits.
   */
  readonly createId?: () => string;
}

const tasksOptions: KnownOptions<TasksOptions> = {
  ttlMs: true,
  maxTtlMs: true,
  pollIntervalMs: true,
  maxRunning: true,
  maxRunningPerCaller: true,
  maxKeptPerCaller: true,
  cancelGraceMs: true,
  createId: true,
};

const HOUR_MS = 3_600_000;
const WEEK_MS = 604_800_000;

/**
 * Answers the options with their defaults.
 *
 * @throws TypeError when one is unknown or out of range.
 */
export function toTasksOptions(given: TasksOptions): Required<TasksOptions> {
  assertKnownOptions('createServer, tasks', given, tasksOptions);
  const maxTtlMs = toMilliseconds('tasks.maxTtlMs', given.maxTtlMs ?? WEEK_MS, 1);
  return {
    maxTtlMs,
    ttlMs: toLimit('tasks.ttlMs', given.ttlMs ?? Math.min(HOUR_MS, maxTtlMs), 1, maxTtlMs),
    pollIntervalMs: toPollInterval('tasks.pollIntervalMs', given.pollIntervalMs ?? 1_000),
    maxRunning: toLimit('tasks.maxRunning', given.maxRunning ?? 1_000, 1, 1_000_000),
    maxRunningPerCaller: toLimit('tasks.maxRunningPerCaller', given.maxRunningPerCaller ?? 100, 1, 1_000_000),
    maxKeptPerCaller: toLimit('tasks.maxKeptPerCaller', given.maxKeptPerCaller ?? 1_000, 1, 1_000),
    cancelGraceMs: toMilliseconds('tasks.cancelGraceMs', given.cancelGraceMs ?? 5_000, 0),
    createId: given.createId ?? (() => randomText(ID_BYTES)),
  };
}

/**
 * Answers how often callers should look, at least once a week; over the wire it is an integer.
 *
 * @throws TypeError when it is out of range; the message calls it `name`.
 */
export function toPollInterval(name: string, givenMs: number): number {
  return toLimit(name, givenMs, 1, WEEK_MS);
}

const ID_BYTES = 18;
