import { type Clock, type HttpCredentials, systemClock } from '@switchyard/client';
import { assertKnownOptions, isJsonObject, type JsonObject, type KnownOptions, metaKeys } from '@switchyard/protocol';

import type { RawConnectionTarget } from '../raw/raw-connection.ts';
import type { Diagnosis, StepReport } from './diagnosis.ts';
import { createDoctorSite, type DoctorCall, type DoctorSite } from './doctor-site.ts';
import type { DoctorStep } from './doctor-step.ts';
import { doctorSteps } from './doctor-steps.ts';
import { type Finding, skipped, unknown } from './finding.ts';

/** How a server is examined. Durations are in milliseconds. */
export interface DiagnoseOptions {
  /** The tool to call, whatever it does. Default: tools are listed, and none is called. */
  readonly tool?: DoctorCall;
  /** How long an answer may take, that of the tool included. Default 10,000. */
  readonly timeoutMs?: number;
  /** How long an idle stream over HTTP is held open; 0 leaves that out. Default 10,000. */
  readonly idleMs?: number;
  /** Who calls over HTTP, beside the headers of the target. */
  readonly credentials?: HttpCredentials;
  /** Where proxies are looked for. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * What a person types to log in to a server, without its URL; `false` where the credentials of this server come from
   * a configuration. Default `switchyard login`.
   */
  readonly loginCommand?: string | false;
  /** Is told the question of each step before it is looked at. */
  readonly onStep?: (question: string) => void;
  readonly clock?: Clock;
  /** Gives up: it rejects with the reason, and nothing stays open. */
  readonly signal?: AbortSignal;
}

const diagnoseOptions: KnownOptions<DiagnoseOptions> = {
  tool: true,
  timeoutMs: true,
  idleMs: true,
  credentials: true,
  env: true,
  loginCommand: true,
  onStep: true,
  clock: true,
  signal: true,
};

const DEFAULT_MS = 10_000;

/**
 * Looks for the cause of what is wrong with a server, in the order in which people should: see `doctorSteps`. It stops
 * at the first cause, with what shows it and what to do. It starts the program up to three times, asks only what has no
 * effect, and calls no tool but the one that is named. Resolves whatever is wrong with the server; rejects with the
 * reason of the signal, and with a `TypeError` for a URL that is none.
 */
export async function diagnose(target: RawConnectionTarget, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  assertKnownOptions('diagnose', options, diagnoseOptions);
  const { signal = new AbortController().signal, clock = systemClock, env, credentials, tool } = options;
  const site = createDoctorSite(target, {
    tool,
    credentials,
    env,
    clock,
    signal,
    timeoutMs: options.timeoutMs ?? DEFAULT_MS,
    idleMs: options.idleMs ?? DEFAULT_MS,
    loginCommand: loginCommandFor(target, options.loginCommand),
  });
  const steps: StepReport[] = [];
  let cause: string | undefined;
  try {
    for (const step of doctorSteps) {
      if (step.transport !== undefined && step.transport !== site.transport) continue;
      if (cause === undefined) options.onStep?.(step.question);
      const finding =
        cause === undefined ? await findingOf(step, site) : skipped(`It was not looked at: ${cause} comes first.`);
      signal.throwIfAborted();
      steps.push(toReport(step, finding));
      if (finding.verdict === 'failed') cause = step.id;
    }
    const server = await serverOf(site);
    return {
      transport: site.transport,
      ...(server === undefined ? {} : { server }),
      ...(cause === undefined ? {} : { cause }),
      steps,
    };
  } finally {
    await site.close();
  }
}

/** What one step cannot take must not cost what the others found. */
async function findingOf(step: DoctorStep, site: DoctorSite): Promise<Finding> {
  try {
    return await step.run(site);
  } catch (error) {
    return unknown('It could not be told.', [site.excerpt(error instanceof Error ? error.message : String(error))]);
  }
}

function toReport({ id, question }: DoctorStep, { verdict, saw, evidence = [], fix }: Finding): StepReport {
  return { id, question, verdict, saw, evidence, ...(fix === undefined ? {} : { fix }) };
}

/** What the server called itself when it was met; of one that could not be met there is nothing. */
async function serverOf(site: DoctorSite): Promise<JsonObject | undefined> {
  const greeting = await site.contact().then(
    (contact) => contact.greeting,
    () => undefined,
  );
  const meta = greeting?.['_meta'];
  const info = greeting?.['serverInfo'] ?? (isJsonObject(meta) ? meta[metaKeys.serverInfo] : undefined);
  if (!isJsonObject(info)) return undefined;
  const said = Object.entries(info).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const shown = said.filter(([name]) => name === 'name' || name === 'version' || name === 'title');
  return Object.fromEntries(shown.map(([name, value]) => [name, site.excerpt(value, 100)]));
}

/** A query may hold a key, and is not repeated. */
function loginCommandFor(
  target: RawConnectionTarget,
  command: string | false = 'switchyard login',
): string | undefined {
  if (command === false || !('url' in target) || !/^https?:/i.test(target.url)) return undefined;
  const { origin, pathname } = new URL(target.url);
  return `${command} ${origin}${pathname}`;
}
