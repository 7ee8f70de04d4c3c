import { access } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { execPath } from 'node:process';
import { assertSnapshot, readSnapshotPlan, renderSnapshot, runSnapshotPlan } from '@switchyard/testing';
import { aboutFile, assertWritable, readDataFile, readTextFile, writeTextFile } from '../check/files.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { showChange } from '../present/show-change.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** The options of `snapshot`. */
export interface SnapshotFlags {
  readonly output?: string;
  readonly check?: boolean;
  readonly timeout?: number;
}

const defaultPlans = ['plan.yaml', 'examples/study-server/plan.yaml'];

/**
 * `switchyard snapshot [PLAN]`: has the conversation of a plan and writes what came, or compares it with what is there.
 */
export async function snapshot(
  given: string | undefined,
  flags: SnapshotFlags,
  { cwd, signal }: Surroundings,
  terminal: Terminal,
): Promise<number> {
  const file = given ?? (await findPlan(cwd));
  const value = await readDataFile(file, cwd);
  const plan = aboutFile(file, () => readSnapshotPlan(value));
  const folder = dirname(resolve(cwd, file));
  const output = outputOf(plan.output, flags.output, folder, cwd);
  const kept = flags.check === true ? await readTextFile(output, cwd) : undefined;
  if (kept === undefined) await assertWritable(output, cwd);
  else assertGood(kept, output);
  const limits = flags.timeout === undefined ? {} : { timeoutMs: flags.timeout };
  terminal.progress(`${plan.name}: ${plan.instances} instances, ${plan.steps.length} steps`);
  const ran = await runSnapshotPlan(plan, { folder, node: execPath, signal, ...limits });
  const made = renderGood(() => renderSnapshot(plan, ran));
  if (kept === undefined) {
    await writeTextFile(output, cwd, made);
    terminal.result({ output, written: true }, () => `Wrote ${output}.`);
    return exitCodes.success;
  }
  const isSame = made === kept;
  terminal.result({ output, same: isSame }, () =>
    isSame ? `${output} is what the server does.` : showChange(output, kept, made),
  );
  return isSame ? exitCodes.success : exitCodes.toolError;
}

async function findPlan(cwd: string): Promise<string> {
  for (const candidate of defaultPlans) {
    const isThere = await access(resolve(cwd, candidate)).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  throw usageFailure(
    `There is no plan: neither ${defaultPlans.join(' nor ')} is here. Name one: switchyard snapshot PLAN`,
  );
}

function outputOf(planned: string | undefined, given: string | undefined, folder: string, cwd: string): string {
  if (given !== undefined) return given;
  if (planned === undefined) throw usageFailure('The plan names no output: give one with --output.');
  return relative(cwd, resolve(folder, planned));
}

function assertGood(text: string, output: string): void {
  renderGood(() => {
    assertSnapshot(text);
    return '';
  }, `${output}: `);
}

/** What a snapshot may not hold is a finding about the server, as a failed check is. */
function renderGood(render: () => string, where = ''): string {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SnapshotError') throw error;
    throw new Failure('snapshot', `${where}${error.message}.`, { exitCode: exitCodes.toolError, cause: error });
  }
}
