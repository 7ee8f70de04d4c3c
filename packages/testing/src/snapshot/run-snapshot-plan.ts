import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { assertKnownOptions, isJsonObject, type JsonObject, type KnownOptions } from '@switchyard/protocol';

import { finishRounds, type MultiRoundRequest } from '../check/rounds.ts';
import { asksForInput, describeAnswer, resultOf } from '../check/seen.ts';
import { createRawClient, type RawClient, type RawExchange } from '../raw/raw-client.ts';
import { everyCapability } from '../raw/modern-message.ts';
import { openRawConnection } from '../raw/open-raw-connection.ts';
import { RawConnectionError, type RawConnectionLimits, rawConnectionLimits } from '../raw/raw-connection.ts';
import { type SnapshotPlan, SnapshotPlanError, type SnapshotStep } from './snapshot-plan.ts';
import { startServerInstances } from './start-server-instances.ts';

/** What a step of a plan brought about: its first exchange, and the retries that it took. */
export interface RanSnapshotStep {
  readonly step: SnapshotStep;
  readonly exchanges: readonly RawExchange[];
}

/** Where a plan runs. */
export interface RunSnapshotPlanOptions extends RawConnectionLimits {
  /** The folder of the plan; absolute. */
  readonly folder: string;
  /** What runs where the plan's command is `node`. */
  readonly node: string;
  readonly signal?: AbortSignal;
}

const runSnapshotPlanOptions: KnownOptions<RunSnapshotPlanOptions> = {
  ...rawConnectionLimits,
  folder: true,
  node: true,
  signal: true,
};

/**
 * Starts the instances of a plan, has the conversation, and ends them. Rejects with a SnapshotPlanError or a
 * RawConnectionError.
 */
export async function runSnapshotPlan(
  plan: SnapshotPlan,
  options: RunSnapshotPlanOptions,
): Promise<readonly RanSnapshotStep[]> {
  assertKnownOptions('runSnapshotPlan', options, runSnapshotPlanOptions);
  const { folder: _folder, node: _node, signal, ...limits } = options;
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-plan-'));
  try {
    const fill = createFill(folder);
    const command = {
      command: plan.command === 'node' ? options.node : plan.command,
      args: plan.args.map(fill),
      env: mapValues(plan.env, fill),
      cwd: resolve(options.folder, plan.cwd),
    };
    const callers = Object.fromEntries(
      Object.entries(plan.callers).map(([name, headers]) => [name, mapValues(headers, fill)]),
    );
    if (plan.transport === 'stdio')
      return await runSteps(plan, callers, (_instance) => openRawConnection(command, limits), options);
    const instances = await startServerInstances(command, plan.instances, signal === undefined ? {} : { signal });
    const { urls } = instances;
    try {
      return await runSteps(
        plan,
        callers,
        (instance) => openRawConnection({ url: urls[instance - 1] ?? '' }, limits),
        options,
      );
    } finally {
      await instances[Symbol.asyncDispose]();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSteps(
  plan: SnapshotPlan,
  callers: { readonly [name: string]: { readonly [header: string]: string } },
  open: Parameters<typeof createRawClient>[0]['open'],
  { signal }: RunSnapshotPlanOptions,
): Promise<readonly RanSnapshotStep[]> {
  const client = createRawClient({
    transport: plan.transport,
    instances: plan.instances,
    open,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const kept = new Map<string, string>();
    const ran: RanSnapshotStep[] = [];
    for (const step of plan.steps) ran.push({ step, exchanges: await runStep(step, plan, client, callers, kept) });
    return ran;
  } finally {
    await client.close();
  }
}

async function runStep(
  step: SnapshotStep,
  plan: SnapshotPlan,
  client: RawClient,
  callers: { readonly [name: string]: { readonly [header: string]: string } },
  kept: Map<string, string>,
): Promise<readonly RawExchange[]> {
  const { label, method, instance, caller, progress, answers, keep, capabilities = everyCapability } = step;
  const params = replaceKept(step.params, kept, label) as JsonObject;
  const request = {
    capabilities,
    ...(progress ? { progressToken: label } : {}),
    ...(caller === undefined || callers[caller] === undefined ? {} : { headers: callers[caller] }),
  };
  const first = await client.request(label, method, params, { ...request, instance });
  const subject: MultiRoundRequest = { method, params };
  // The next instance each time, so that none of them sees two rounds in a row.
  const instanceOf = (round: number): number => ((instance - 1 + round) % plan.instances) + 1;
  const retries = asksForInput(first)
    ? await finishRounds(client, label, subject, first, { answers, instanceOf, request })
    : [];
  const last = retries.at(-1) ?? first;
  if (last.response === undefined) throw new RawConnectionError('closed', `${label}: ${describeAnswer(last)}`);
  for (const [name, path] of Object.entries(keep)) kept.set(name, readPath(last, path, label));
  return [first, ...retries];
}

function readPath(exchange: RawExchange, path: string, label: string): string {
  let value: unknown = resultOf(exchange);
  for (const key of path.split('.')) value = isJsonObject(value) ? value[key] : undefined;
  if (typeof value === 'string') return value;
  throw new SnapshotPlanError(`${label} keeps ${path}, which is no text of its result: ${describeAnswer(exchange)}`);
}

function replaceKept(value: unknown, kept: ReadonlyMap<string, string>, label: string): unknown {
  if (typeof value === 'string') {
    return value.replace(/\{(\w+)\}/g, (_whole, name: string) => {
      const text = kept.get(name);
      if (text === undefined) throw new SnapshotPlanError(`${label} uses {${name}}, which no step before it keeps`);
      return text;
    });
  }
  if (Array.isArray(value)) return (value as unknown[]).map((entry) => replaceKept(entry, kept, label));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replaceKept(entry, kept, label)]));
}

/** Fills in what is new for each run. */
function createFill(folder: string): (text: string) => string {
  const secrets = new Map<string, string>();
  const random = (): string => randomBytes(32).toString('base64url');
  const secretOf = (name: string): string => {
    const secret = secrets.get(name) ?? random();
    secrets.set(name, secret);
    return secret;
  };
  return (text) =>
    text
      .replaceAll('{folder}', folder)
      .replaceAll('{key}', () => secretOf(''))
      .replace(/\{secret:(\w+)\}/g, (_whole, name: string) => secretOf(name));
}

function mapValues(
  map: { readonly [name: string]: string },
  change: (text: string) => string,
): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(map).map(([name, text]) => [name, change(text)]));
}
