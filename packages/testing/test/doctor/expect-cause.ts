import { expect } from 'vitest';
import { diagnose, type DiagnoseOptions, type Diagnosis, type RawConnectionTarget } from '../../src/index.ts';

/** The cause that is expected: where, what shows it, and what to do. */
export interface Expected {
  readonly step: string;
  readonly saw: RegExp;
  /** One of the excerpts. */
  readonly evidence: RegExp;
  readonly fix: RegExp;
}

const quick: DiagnoseOptions = { timeoutMs: 5_000, idleMs: 0, env: {} };

/** Examines a server, in little time. */
export function examine(target: RawConnectionTarget | string, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  return diagnose(typeof target === 'string' ? { url: target } : target, { ...quick, ...options });
}

/** Examines a server and expects that one cause, with evidence and fix, and nothing behind it. */
export async function expectCause(
  target: RawConnectionTarget | string,
  options: DiagnoseOptions,
  { step, saw, evidence, fix }: Expected,
): Promise<Diagnosis> {
  const asked: string[] = [];
  const diagnosis = await examine(target, { ...options, onStep: (question) => asked.push(question) });
  const at = diagnosis.steps.findIndex(({ verdict }) => verdict === 'failed');
  const found = diagnosis.steps[at];
  expect(found).toMatchObject({
    id: step,
    saw: expect.stringMatching(saw) as string,
  });
  expect(diagnosis.cause).toBe(step);
  expect(found?.evidence).toEqual(expect.arrayContaining([expect.stringMatching(evidence)]));
  expect(found?.fix).toMatch(fix);
  expect(asked).toEqual(diagnosis.steps.slice(0, at + 1).map(({ question }) => question));
  for (const { verdict, saw: why } of diagnosis.steps.slice(at + 1))
    expect([verdict, why]).toEqual(['skipped', expect.stringContaining(`${step} comes first`)]);
  return diagnosis;
}
