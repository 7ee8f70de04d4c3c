import { describe, expect, it } from 'vitest';

import { createTaskResult, detailedTask, task } from '../../src/model/task.ts';

const base = {
  taskId: 'a',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 60_000,
};

describe('a task', () => {
  it.each<[string, object, string | undefined]>([
    ['as it is least', { ...base, status: 'working' }, undefined],
    ['without an end', { ...base, status: 'working', ttlMs: null }, undefined],
    ['in full', { ...base, status: 'working', statusMessage: 'x', pollIntervalMs: 5 }, undefined],
    ['with a fraction of a millisecond', { ...base, status: 'working', ttlMs: 1.5 }, '.ttlMs'],
    ['without ttlMs', { ...base, status: 'working', ttlMs: undefined }, '.ttlMs'],
    ['with a fraction to poll in', { ...base, status: 'working', pollIntervalMs: 0.5 }, '.pollIntervalMs'],
    ['in an unknown state', { ...base, status: 'paused' }, '.status'],
    ['without an id', { ...base, status: 'working', taskId: undefined }, '.taskId'],
  ])('[TASK-11] %s', (_what, value, at) => {
    expect(task(value)?.at).toBe(at);
  });

  it('[TASK-08] is flat in the result that stands for it', () => {
    expect(createTaskResult({ ...base, status: 'working', resultType: 'task' })).toBeUndefined();
    expect(createTaskResult({ ...base, status: 'working', resultType: 'complete' })?.at).toBe('.resultType');
    expect(createTaskResult({ resultType: 'task', task: { ...base, status: 'working' } })?.at).toBe('.taskId');
  });

  it.each<[string, object, string | undefined]>([
    ['working', {}, undefined],
    ['cancelled', {}, undefined],
    ['input_required', { inputRequests: { a: { method: 'roots/list' } } }, undefined],
    ['input_required', {}, '.inputRequests'],
    ['input_required', { inputRequests: { a: { method: 'tools/call' } } }, '.inputRequests["a"].method'],
    ['completed', { result: { content: [] } }, undefined],
    ['completed', {}, '.result'],
    ['failed', { error: { code: -32603, message: 'x' } }, undefined],
    ['failed', { error: { code: 'x', message: 'x' } }, '.error.code'],
    ['failed', {}, '.error'],
  ])('[TASK-16] that is %s has what its state adds: %j', (status, more, at) => {
    expect(detailedTask({ ...base, status, ...more })?.at).toBe(at);
  });
});
