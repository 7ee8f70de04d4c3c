import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { type Check, parseChecks } from './check.ts';
import { type GroupFinished, runInGroup } from './run-in-group.ts';
import { type Scenario, selections } from './scenario.ts';
import type { Outcome } from './tally.ts';

const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const clientCommand = 'node --conditions=@switchyard/source packages/testing/src/bin/fixture-client.ts';

const listTimeoutMs = 20_000;
const scenarioTimeoutMs = 60_000;
const serverRunTimeoutMs = 300_000;

/** Answers what the suite has at each revision, as it prints it. */
export async function listScenarios(signal: AbortSignal): Promise<{ readonly [revision: string]: string }> {
  const listings: Record<string, string> = {};
  for (const [revision, selection] of Object.entries(selections)) {
    const { code, output } = await runSuite(['list', ...selection], listTimeoutMs, signal);
    if (code !== 0) throw new Error(`the suite cannot list the scenarios of ${revision} (exit ${code}):\n${output}`);
    listings[revision] = output;
  }
  return listings;
}

/**
 * Runs scenarios of one revision against a server. One process runs the whole set of the revision, which takes less
 * time than a process a scenario; what was not asked for is left out of the answer.
 */
export async function runServerScenarios(
  url: string,
  scenarios: readonly Scenario[],
  folder: string,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const [only, ...others] = scenarios;
  if (only === undefined) return [];
  const selection =
    others.length === 0 ? ['--scenario', only.name, ...atRevision(only.revision)] : wholeSet(only.revision);
  const own = join(folder, `server-${only.revision}`);
  const finished = await runSuite(
    ['server', '--url', url, ...selection, '--timeout', String(scenarioTimeoutMs), '-o', own],
    serverRunTimeoutMs,
    signal,
  );
  return scenarios.map((scenario) => {
    const checks = readChecks(resultFolder(own, `server-${scenario.name}`));
    return checks === undefined ? failed(scenario, finished) : { scenario, checks };
  });
}

/** A scenario of an extension is of no revision, and the suite skips it at each unless it must not. */
function atRevision(revision: string): readonly string[] {
  return revision === 'all' ? [] : ['--spec-version', revision, '--force'];
}

function wholeSet(revision: string): readonly string[] {
  const selection = selections[revision] ?? [];
  return selection[0] === '--requirements' ? selection : ['--suite', 'all', ...selection];
}

/** Runs one scenario against a new process of the fixture client. */
export async function runClientScenario(scenario: Scenario, folder: string, signal: AbortSignal): Promise<Outcome> {
  const own = join(folder, `client-${scenario.revision}`);
  const finished = await runSuite(
    [
      'client',
      '--command',
      clientCommand,
      '--scenario',
      scenario.name,
      ...atRevision(scenario.revision),
      '--timeout',
      String(scenarioTimeoutMs),
      '-o',
      own,
    ],
    scenarioTimeoutMs * 2,
    signal,
  );
  // A name such as `auth/basic-cimd` is a path within the folder of results.
  const result = resultFolder(join(own, dirname(scenario.name)), basename(scenario.name));
  const checks = readChecks(result);
  if (checks === undefined) return failed(scenario, finished);
  const clientOutput = lastLines(readText(result, 'stderr.txt') ?? '');
  // The suite also fails a client that exits with an error or hangs, which stands in no check.
  const explained = checks.some(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (finished.code === 0 || explained) return { scenario, checks, clientOutput };
  return { scenario, checks, clientOutput, problem: 'no check failed, but the client exited with an error or hung' };
}

function runSuite(args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<GroupFinished> {
  return runInGroup(process.execPath, [suite, ...args], { timeoutMs, signal });
}

function failed(scenario: Scenario, { code, output, timedOut }: GroupFinished): Outcome {
  const how = timedOut ? 'the suite ran out of time' : `the suite exited with ${code}`;
  return { scenario, checks: [], problem: `${how}; its last lines:\n${lastLines(output)}` };
}

/** Answers the folder of one scenario's results: the suite names it after the scenario and the time. */
function resultFolder(folder: string, prefix: string): string | undefined {
  const own = entriesOf(folder).find(
    (entry) => entry.startsWith(prefix) && /^-\d{4}-\d\d-\d\dT/.test(entry.slice(prefix.length)),
  );
  return own === undefined ? undefined : join(folder, own);
}

function readChecks(folder: string | undefined): readonly Check[] | undefined {
  const text = readText(folder, 'checks.json');
  return text === undefined ? undefined : parseChecks(text);
}

function readText(folder: string | undefined, name: string): string | undefined {
  if (folder === undefined || !entriesOf(folder).includes(name)) return undefined;
  return readFileSync(join(folder, name), 'utf8');
}

function entriesOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const shownLines = 20;

function lastLines(output: string): string {
  return output
    .trimEnd()
    .split('\n')
    .slice(-shownLines)
    .map((line) => `    ${line}`)
    .join('\n')
    .trimEnd();
}
