import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startFixtureServer } from './fixture-process.ts';
import type { Scenario } from './scenario.ts';
import { runClientScenario, runServerScenarios } from './suite.ts';
import type { Outcome } from './tally.ts';

/** Two cores, and every client scenario is two processes. */
const clientsAtOnce = 2;

/** Runs scenarios against the fixtures and answers their outcomes in the order of `scenarios`. */
export async function runScenarios(scenarios: readonly Scenario[], signal: AbortSignal): Promise<readonly Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-conformance-'));
  try {
    const ofServer = scenarios.filter(({ role }) => role === 'server');
    const ofClient = scenarios.filter(({ role }) => role === 'client');
    const outcomes = [...(await onServer(ofServer, folder, signal)), ...(await onClients(ofClient, folder, signal))];
    return scenarios.flatMap((scenario) => outcomes.filter((outcome) => outcome.scenario === scenario));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onServer(
  scenarios: readonly Scenario[],
  folder: string,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  if (scenarios.length === 0) return [];
  const fixture = await startFixtureServer(signal);
  try {
    const outcomes: Outcome[] = [];
    for (const revision of new Set(scenarios.map((scenario) => scenario.revision))) {
      const ofRevision = scenarios.filter((scenario) => scenario.revision === revision);
      outcomes.push(...(await runServerScenarios(fixture.url, ofRevision, folder, signal)));
    }
    for (const line of fixture.lines) process.stderr.write(`fixture server: ${line}\n`);
    return outcomes;
  } finally {
    await fixture.end();
  }
}

async function onClients(
  scenarios: readonly Scenario[],
  folder: string,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...scenarios];
  const worker = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      outcomes.push(await runClientScenario(scenario, folder, signal));
    }
  };
  await Promise.all(Array.from({ length: clientsAtOnce }, worker));
  return outcomes;
}
