import {
  type ChangingList,
  changingListNames,
  type ClientCapabilities,
  clientCapabilities,
  describeMisfit,
  isExtensionIdentifier,
} from '@switchyard/protocol';
import type { AnswerCache } from './cache/response-cache.ts';
import { toAnswerCache } from './cache/to-answer-cache.ts';
import type { ConnectOptions, TimeLimits } from './connect-options.ts';
import { assertIconsOptions } from './icons/assert-icons-options.ts';
import { type InputSetup, setUpInput } from './input/input-setup.ts';
import { type EraVerdict, readVerdict } from './negotiate/era-verdict.ts';
import { type SharedRestarts, toSharedRestarts } from './negotiate/restart-policy.ts';
import { quoted } from './peer/excerpt.ts';
import type { PeerContext } from './peer/peer-context.ts';
import { readSkillsOptions, type SkillsOptions } from './skills/skills-options.ts';
import { readTasksOptions, type TasksRules, withTasks } from './tasks/tasks-options.ts';
import { assertMilliseconds, assertPositive } from './timing/assert-limits.ts';
import { readChecks } from './trust/check-options.ts';
import { assertResultSize } from './trust/result-size.ts';
import type { ResultRules } from './trust/result-checks.ts';

/** What the options of `connect` mean, with their defaults. */
export interface ReadConnectOptions {
  readonly limits: Required<TimeLimits>;
  readonly input: InputSetup;
  /** Absent: no tasks are taken. */
  readonly tasks: TasksRules | undefined;
  readonly skills: SkillsOptions;
  readonly results: ResultRules;
  readonly restarts: SharedRestarts;
  readonly prior: EraVerdict | undefined;
  readonly cache: AnswerCache | undefined;
  /** The lists that the client listens to by itself, where the server tells of them. */
  readonly lists: readonly ChangingList[];
}

const defaults: Required<TimeLimits> = {
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  startTimeoutMs: 15_000,
  probeTimeoutMs: 5000,
};

/**
 * Reads the options of `connect`, whose names were looked at before. Throws a `ClientError` with code `invalid-argument`
 * for a value that cannot be meant, and a `TypeError` for a name in a part of them that there is not.
 */
export function readConnectOptions(context: PeerContext, options: ConnectOptions): ReadConnectOptions {
  const { capabilities, listensToLists = options.onListChanged !== undefined } = options;
  assertCapabilities(context, capabilities);
  assertIconsOptions(context, options.icons);
  const tasks = options.tasks === undefined ? undefined : readTasksOptions(context, options.tasks);
  return {
    limits: readLimits(context, options),
    tasks,
    input: setUpInput(context, options.input ?? {}, tasks === undefined ? capabilities : withTasks(capabilities)),
    skills: readSkillsOptions(options.skills),
    results: readResultRules(context, options),
    restarts: toSharedRestarts(context, options.restart),
    prior: readVerdict(options.prior),
    cache: toAnswerCache(context, options.cache),
    lists: listensToLists ? changingListNames : [],
  };
}

/** Spec: basic/versioning#extension-negotiation, schema#clientcapabilities (2026-07-28). */
function assertCapabilities(context: PeerContext, capabilities: ClientCapabilities | undefined): void {
  if (capabilities === undefined) return;
  const misfit = clientCapabilities(capabilities);
  if (misfit !== undefined) throw context.fail('invalid-argument', `${describeMisfit('capabilities', misfit)}.`);
  for (const identifier of Object.keys(capabilities.extensions ?? {})) {
    if (isExtensionIdentifier(identifier)) continue;
    throw context.fail(
      'invalid-argument',
      `capabilities.extensions has the key ${quoted(identifier)}, which is no identifier of an extension; ` +
        'write one like com.example/my-extension.',
    );
  }
}

function readResultRules(context: PeerContext, { checks, resultSize }: ConnectOptions): ResultRules {
  assertPositive(context, 'maxNotificationsPerSecond', context.maxNotificationsPerSecond);
  assertResultSize(context, resultSize);
  return { checks: readChecks(context, checks), size: resultSize };
}

function readLimits(context: PeerContext, options: TimeLimits): Required<TimeLimits> {
  const limits = { ...defaults };
  for (const name of ['timeoutMs', 'maxTimeoutMs', 'startTimeoutMs', 'probeTimeoutMs'] as const) {
    assertMilliseconds(context, name, options[name]);
    limits[name] = options[name] ?? defaults[name];
  }
  assertPositive(context, 'maxMessageBytes', context.maxMessageBytes);
  return limits;
}
