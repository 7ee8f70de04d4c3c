import { assertKnownOptions, type JsonObject, type KnownOptions } from '@switchyard/protocol';

import type { RawClient } from '../raw/raw-client.ts';
import { RawConnectionError } from '../raw/raw-connection.ts';
import { createAnsweringClient, endsRun } from './answering-client.ts';
import { alteredStateCheck } from './altered-state.ts';
import type { Check, CheckDescription } from './check.ts';
import { contentCheck } from './content-check.ts';
import { discoveryCheck } from './discovery.ts';
import { envelopeProbes } from './envelope.ts';
import { errorCodesCheck } from './error-codes.ts';
import { noSessionCheck } from './no-session.ts';
import { orderAndCacheCheck } from './order-and-cache.ts';
import { otherInstanceCheck } from './other-instance.ts';
import { failed, type Probe, skipped } from './probe.ts';
import { metadataCheck } from './request-metadata.ts';
import { resultTypeCheck } from './result-type.ts';
import { retryCheck } from './retry-check.ts';
import { describeAnswer, errorOf, resultOf, serverInfoOf } from './seen.ts';
import { type CheckCallOptions, checkCallOptions, type CheckSite, createCheckSite, type ServedList } from './site.ts';
import { UnlistedToolError } from './unlisted-tool-error.ts';

/** The boundary checks, in order. */
const everyCheck: readonly Check[] = [
  discoveryCheck,
  metadataCheck,
  resultTypeCheck,
  orderAndCacheCheck,
  errorCodesCheck,
  retryCheck,
  otherInstanceCheck,
  alteredStateCheck,
  noSessionCheck,
  contentCheck,
];

/** What one check found. */
export interface CheckResult extends CheckDescription {
  /** `failed` when a probe did, `skipped` when none passed, else `passed`. */
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** What was seen, in one line that may repeat text of the server. */
  readonly evidence: string;
  readonly probes: readonly Probe[];
}

/** What a run of the checks found. */
export interface ChecksReport {
  /** Name and version that the server reports of itself. */
  readonly server: JsonObject | undefined;
  readonly transport: RawClient['transport'];
  readonly checks: readonly CheckResult[];
}

/** What is run, and how. */
export interface RunChecksOptions extends CheckCallOptions {
  /** Numbers of checks. Default: all. */
  readonly only?: readonly number[];
  /** Is told of each check once it has run; what the conversation as a whole shows is judged after the last. */
  readonly onCheck?: (check: CheckDescription) => void;
}

const runChecksOptions: KnownOptions<RunChecksOptions> = { ...checkCallOptions, only: true, onCheck: true };

/**
 * Runs the boundary checks on a server, one after the other. A server that does not answer `server/discover` fails the
 * first of them, and the others are skipped. Responses that no client takes, whatever they say, fail the first one as
 * well. Rejects with UnlistedToolError when the server does not list `tool`, with the RawConnectionError of a server
 * that cannot be reached at all, and also in the middle of a run with one that says nothing about the server:
 * `unauthorized` where it wants credentials (HTTP 401, 403), `busy` (429, 502 to 504), `given-up` when the signal of
 * the client aborts.
 */
export async function runChecks(client: RawClient, options: RunChecksOptions = {}): Promise<ChecksReport> {
  assertKnownOptions('runChecks', options, runChecksOptions);
  const site = createCheckSite(createAnsweringClient(client), options);
  const chosen = everyCheck.filter(({ number }) => options.only?.includes(number) ?? true);
  const silence = await silenceOf(site);
  if (silence === undefined) await assertListed(site);
  const ran: { readonly check: Check; readonly probes: readonly Probe[] }[] = [];
  for (const check of chosen) {
    const probes = silence === undefined ? await probesOf(check, site) : [silentProbe(check, chosen[0], silence)];
    ran.push({ check, probes });
    options.onCheck?.(check);
  }
  const responses = silence === undefined ? envelopeProbes(client.exchanges) : [];
  return {
    server: silence === undefined ? serverInfoOf(await site.discovery()) : undefined,
    transport: client.transport,
    checks: ran.map(({ check, probes }, index) =>
      reportOf(check, index === 0 ? [...probes, ...responsesIn(check, responses)] : probes),
    ),
  };
}

/**
 * A slip in a name must not look like a server that asks for nothing. A list that cannot be read to its end says
 * nothing about that.
 */
async function assertListed({ calls, lists }: CheckSite): Promise<void> {
  const { tool } = calls;
  if (tool === undefined) return;
  let served: readonly ServedList[];
  try {
    served = await lists();
  } catch (error) {
    if (error instanceof RawConnectionError && !endsRun(error)) return;
    throw error;
  }
  const list = served.find(({ member }) => member === 'tools');
  if (list?.problem !== undefined || list?.isCut === true) return;
  const names = (list?.entries ?? []).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  if (!names.includes(tool.name)) throw new UnlistedToolError(tool.name, names);
}

/** Why a server cannot be checked; `undefined` when it answers. */
async function silenceOf(site: CheckSite): Promise<string | undefined> {
  try {
    const exchange = await site.discovery();
    return resultOf(exchange) === undefined
      ? `server/discover got ${describeAnswer(exchange)}${errorOf(exchange) === undefined ? '' : ': it may not speak a revision with metadata on every request'}`
      : undefined;
  } catch (error) {
    if (error instanceof RawConnectionError && error.code === 'timeout')
      return `${error.message}: it may speak an older revision`;
    throw error;
  }
}

/** Whatever was chosen, a server that cannot be checked fails once. */
function silentProbe(check: Check, first: Check | undefined, silence: string): Probe {
  return first === undefined || check === first
    ? failed('server/discover', silence)
    : skipped('server/discover', `the server speaks no current revision, see check ${first.number}`);
}

/** How the responses came is part of check 1; where that was not chosen, it is said only if it is wrong. */
function responsesIn({ number }: Check, responses: readonly Probe[]): readonly Probe[] {
  return number === 1 ? responses : responses.filter(({ verdict }) => verdict === 'failed');
}

async function probesOf(check: Check, site: CheckSite): Promise<readonly Probe[]> {
  try {
    return await check.run(site);
  } catch (error) {
    if (endsRun(error)) throw error;
    if (error instanceof RawConnectionError) return [failed('an answer', error.message)];
    // What one check cannot take must not cost the report of the others.
    return [
      failed(
        'the check',
        `it broke off, which is a defect of switchyard or an answer past all bounds: ${String(error)}`,
      ),
    ];
  }
}

function reportOf({ run: _run, ...check }: Check, probes: readonly Probe[]): CheckResult {
  const found = (verdict: Probe['verdict']): readonly Probe[] => probes.filter((probe) => probe.verdict === verdict);
  const failures = found('failed');
  const [first] = failures;
  if (first !== undefined) {
    const more = failures.length > 1 ? `, and ${failures.length - 1} more` : '';
    return { ...check, verdict: 'failed', evidence: `${first.what}: ${first.evidence}${more}`, probes };
  }
  const good = found('passed');
  const left = found('skipped').map(({ what, evidence }) => `${what}: ${evidence}`);
  if (good.length === 0) return { ...check, verdict: 'skipped', evidence: left.join('; '), probes };
  const notApplied = left.length === 0 ? '' : `; not applied: ${left.join('; ')}`;
  const seen =
    good.length === 1
      ? `${good[0]?.what}: ${good[0]?.evidence}`
      : `${good.length} probes: ${good.map(({ what }) => what).join(', ')}`;
  return { ...check, verdict: 'passed', evidence: `${seen}${notApplied}`, probes };
}
