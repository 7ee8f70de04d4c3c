import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { compareTranscripts, explainDifferences, readExplanations, renderSnapshot } from '@switchyard/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { readStudyPlan, runStudyPlan, transcriptOf, withOfficialSdk } from '../src/plan.ts';

const drive = fileURLToPath(new URL('../src/drive.ts', import.meta.url));

type SnapshotPlan = Awaited<ReturnType<typeof readStudyPlan>>;
type Ran = Awaited<ReturnType<typeof runStudyPlan>>;

let plan: SnapshotPlan;
let ran: Ran;

beforeAll(async () => {
  plan = await readStudyPlan();
  ran = await runStudyPlan(plan);
});

describe('the snapshot', () => {
  it('is the file in outputs, byte for byte, on each run', async () => {
    const kept = await readFile(new URL('../../../outputs/mcp-capability-snapshot.json', import.meta.url), 'utf8');
    expect(renderSnapshot(plan, ran)).toBe(kept);
    expect(renderSnapshot(plan, await runStudyPlan(plan))).toBe(kept);
  });

  it('shows discovery, catalogs, results, one exchange over two instances with all three kinds, progress and the deployment', async () => {
    const snapshot = JSON.parse(renderSnapshot(plan, ran)) as Record<string, unknown>;
    expect(Object.keys(snapshot)).toEqual([
      'catalogs',
      'deployment',
      'discovery',
      'format',
      'name',
      'progress',
      'results',
      'revision',
      'rounds',
      'server',
    ]);
    const text = JSON.stringify(snapshot['rounds']);
    for (const method of ['roots/list', 'sampling/createMessage', 'elicitation/create']) expect(text).toContain(method);
    expect(JSON.stringify(snapshot)).not.toMatch(/"initialize"|session-id|key-of/i);
  });
});

describe('the comparison with the official SDK', () => {
  it('explains each difference, and each explanation has one', async () => {
    const official = withOfficialSdk(plan);
    const other = transcriptOf(official, await runStudyPlan(official));
    const differences = compareTranscripts(transcriptOf(plan, ran), other);
    const explanations = readExplanations(
      parse(await readFile(new URL('../differences.yaml', import.meta.url), 'utf8')),
    );
    const { unexplained, unused } = explainDifferences(differences, explanations);
    expect({ unexplained, unused }).toEqual({ unexplained: [], unused: [] });
    // Without the file all of them would be open: the comparison does see something.
    expect(differences.length).toBeGreaterThan(10);
  });

  it('is what the script prints', async () => {
    const { stdout } = await promisify(execFile)(execPath, ['--conditions=@switchyard/source', drive, '--compare']);
    expect(stdout).toMatch(/differences explained, 0 not, 0 explanations without a difference\n$/);
  });
});
