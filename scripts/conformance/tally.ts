import type { Check } from './check.ts';
import { describeKnownFailure, type KnownFailure } from './known-failures.ts';
import type { Scenario } from './scenario.ts';

/** What one scenario left behind: the checks that the suite wrote, and what went wrong around them. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly checks: readonly Check[];
  /** Why the run itself failed, for example that it ran out of time. */
  readonly problem?: string;
  /** What the client under test wrote to standard error, where there was one. */
  readonly clientOutput?: string;
}

/** A check that did not succeed. */
export interface Finding {
  readonly check: string;
  readonly message: string;
  /** `failed` counts as a failure, `known` stands in the list of known failures, `warned` is only shown. */
  readonly kind: 'failed' | 'known' | 'warned';
}

/** One line of the table. */
export interface Row extends Scenario {
  readonly passed: number;
  readonly failed: number;
  readonly findings: readonly Finding[];
  /** The client's standard error, where it failed and wrote any. */
  readonly clientOutput?: string;
}

/** What a run amounts to. */
export interface Tally {
  readonly rows: readonly Row[];
  /** One sentence on each known failure that must leave the list. */
  readonly stale: readonly string[];
  readonly passed: number;
  /** Failed checks and stale entries together. */
  readonly failed: number;
}

/**
 * Counts checks. `SKIPPED` and `INFO` do not count; a warning fails a client and only shows for a server, as in the
 * suite. A scenario that counted nothing failed: it proved nothing.
 *
 * An entry of the known failures is stale when its scenario ran and no check under its id failed, or when `planned`
 * does not have its scenario at all.
 */
export function tallyOutcomes(
  outcomes: readonly Outcome[],
  knownFailures: readonly KnownFailure[],
  planned: readonly Scenario[],
): Tally {
  const rows = outcomes.map((outcome) => tallyOutcome(outcome, knownFailures));
  const stale = knownFailures.flatMap((entry) => {
    if (!planned.some((scenario) => covers(entry, scenario)))
      return [`${describeKnownFailure(entry)} names no scenario that is run: remove it`];
    const row = rows.find((ran) => covers(entry, ran));
    if (row === undefined || row.findings.some(({ kind, check }) => kind === 'known' && check === entry.check))
      return [];
    return [`${describeKnownFailure(entry)} passes now: remove it`];
  });
  return {
    rows,
    stale,
    passed: rows.reduce((sum, row) => sum + row.passed, 0),
    failed: rows.reduce((sum, row) => sum + row.failed, stale.length),
  };
}

function tallyOutcome(
  { scenario, checks, problem, clientOutput = '' }: Outcome,
  knownFailures: readonly KnownFailure[],
): Row {
  const known = new Set(knownFailures.filter((entry) => covers(entry, scenario)).map((entry) => entry.check));
  const passed = checks.filter((check) => check.status === 'SUCCESS').length;
  const findings: Finding[] = [];
  const fail = (check: string, message: string): void => {
    findings.push({ check, message, kind: known.has(check) ? 'known' : 'failed' });
  };
  for (const { id, status, message } of checks) {
    if (status === 'FAILURE' || (status === 'WARNING' && scenario.role === 'client')) fail(id, message);
    else if (status === 'WARNING') findings.push({ check: id, message, kind: 'warned' });
  }
  if (problem !== undefined) fail('run', problem);
  else if (passed === 0 && findings.every(({ kind }) => kind === 'warned')) fail('run', 'the scenario ran no check');
  const failed = findings.filter(({ kind }) => kind === 'failed').length;
  return { ...scenario, passed, failed, findings, ...(failed > 0 && clientOutput !== '' ? { clientOutput } : {}) };
}

function covers(entry: KnownFailure, scenario: Scenario): boolean {
  return entry.role === scenario.role && entry.revision === scenario.revision && entry.scenario === scenario.name;
}
