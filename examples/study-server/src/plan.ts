import { readFile } from 'node:fs/promises';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

import { type Plan, type RanStep, readPlan, runPlan, toTranscript, type Transcript } from '@switchyard/testing';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Reads the conversation of `plan.yaml`. */
export async function readStudyPlan(): Promise<Plan> {
  return readPlan(parse(await readFile(new URL('../plan.yaml', import.meta.url), 'utf8')));
}

/** The same conversation with the server on the official SDK. */
export function withOfficialSdk(plan: Plan): Plan {
  return { ...plan, args: plan.args.map((arg) => (arg === 'src/main.ts' ? '../study-server-sdk/src/main.ts' : arg)) };
}

/** Has the conversation with fresh instances. */
export function runStudyPlan(plan: Plan): Promise<readonly RanStep[]> {
  return runPlan(plan, { folder, node: execPath });
}

/** What was said, as it can be compared. */
export function transcriptOf(plan: Plan, ran: readonly RanStep[]): Transcript {
  return toTranscript({ transport: plan.transport, exchanges: ran.flatMap(({ exchanges }) => exchanges) });
}
