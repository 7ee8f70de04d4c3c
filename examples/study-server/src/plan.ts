import { readFile } from 'node:fs/promises';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

import {
  type RanSnapshotStep,
  readSnapshotPlan,
  runSnapshotPlan,
  type SnapshotPlan,
  toTranscript,
  type Transcript,
} from '@switchyard/testing';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Reads the conversation of `plan.yaml`. */
export async function readStudyPlan(): Promise<SnapshotPlan> {
  return readSnapshotPlan(parse(await readFile(new URL('../plan.yaml', import.meta.url), 'utf8')));
}

/** The same conversation with the server on the official SDK. */
export function withOfficialSdk(plan: SnapshotPlan): SnapshotPlan {
  return { ...plan, args: plan.args.map((arg) => (arg === 'src/main.ts' ? '../study-server-sdk/src/main.ts' : arg)) };
}

/** Has the conversation with fresh instances. */
export function runStudyPlan(plan: SnapshotPlan): Promise<readonly RanSnapshotStep[]> {
  return runSnapshotPlan(plan, { folder, node: execPath });
}

/** What was said, as it can be compared. */
export function transcriptOf(plan: SnapshotPlan, ran: readonly RanSnapshotStep[]): Transcript {
  return toTranscript({ transport: plan.transport, exchanges: ran.flatMap(({ exchanges }) => exchanges) });
}
