import { createSafeLogger, extensions, type Implementation, type Logger, present } from '@switchyard/protocol';
import type { RecordStore } from '@switchyard/stores';

import { holdsScopes } from '../authorization/assert-scopes.ts';
import { composeHandlers } from '../composition/compose-handlers.ts';
import type { Part } from '../composition/part.ts';
import { createClaims } from '../effects/claim.ts';
import { createEffects } from '../effects/once.ts';
import { createSingleUse } from '../effects/single-use.ts';
import type { InvocationSite } from '../input/invocation-site.ts';
import { createDeadlines } from '../timing/deadlines.ts';
import { watchRoom } from '../limits/watch-room.ts';
import { createDiscover } from '../dispatch/discover.ts';
import type { ServerLimits, ServerOptions } from '../server-options.ts';
import { createRequestState } from '../state/request-state.ts';
import type { StateKeySource } from '../state/state-keys.ts';
import type { ChangeHub } from '../subscriptions/change-hub.ts';
import { createSubscriptions } from '../subscriptions/listen.ts';
import { createTasks } from '../tasks/create-tasks.ts';
import { createHandOver } from '../tasks/hand-over.ts';
import type { TasksOptions } from '../tasks/tasks-options.ts';
import { consoleLogger } from '../dispatch/console-logger.ts';
import { createCoreHandlers, definitionsOfUri } from './core-handlers.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { createToErrorReply } from '../dispatch/error-reply.ts';
import { serverExtensions } from './server-extensions.ts';

/** What whoever serves an endpoint gives it where the author chose nothing. */
export interface EndpointDefaults {
  readonly logger?: Logger;
  /** Where keys for request state come from. */
  readonly stateKeys?: StateKeySource;
  /** See `ServerOptions.development`. */
  readonly development?: boolean;
}

/** What an endpoint is made of. */
export interface EndpointSource {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** As the author gave them. */
  readonly options: ServerOptions;
  readonly limits: ServerLimits;
  readonly tasks: Required<TasksOptions>;
  /** Where tasks are stored: the option `records`, or the memory of this process. */
  taskRecords(): RecordStore;
  readonly changes: ChangeHub;
  /** The definitions, and the interceptors and mounts that their handlers are compiled with. */
  readonly composition: Part;
}

/**
 * Makes the endpoint that serves what an author defined.
 *
 * @throws TypeError when definitions break a rule of an extension: a tool is linked to an app that there is not.
 */
export function createEndpoint(source: EndpointSource, defaults: EndpointDefaults = {}): Endpoint {
  const { info, instructions, options, limits, composition } = source;
  const { catalog } = composition;
  for (const { assertServable } of serverExtensions) assertServable?.(catalog());
  const logger = options.logger ?? defaults.logger ?? consoleLogger;
  const safeLogger = createSafeLogger(logger);
  const {
    createReference = () => crypto.randomUUID(),
    now = () => performance.now(),
    epochNow = () => Date.now(),
    development = defaults.development ?? false,
  } = options;
  const state =
    options.state === false
      ? undefined
      : createRequestState(options.state ?? {}, {
          name: info.name,
          otherwise: defaults.stateKeys,
          now,
          logger: safeLogger,
        });
  const audience = state?.audience ?? info.name;
  const toErrorReply = createToErrorReply({ createReference }, safeLogger);
  const records = watchRoom(source.taskRecords(), safeLogger);
  const tasks = createTasks({
    records,
    isShared: options.records !== undefined,
    hasBus: options.bus !== undefined,
    changes: source.changes,
    options: source.tasks,
    audience,
    epochNow,
    logger: safeLogger,
    toErrorBody: (thrown) => toErrorReply(undefined, thrown, 'task failed').error.body(),
  });
  const invocations: InvocationSite = {
    state,
    audience,
    handOver: createHandOver(tasks, epochNow),
    ...effectsOver(options.records === undefined ? undefined : records, limits.effectRetentionMs, epochNow, safeLogger),
    deadlines: createDeadlines(limits.timeoutMs, (err) => safeLogger.error({ err }, 'a time limit could not be held')),
    timeoutMs: limits.timeoutMs,
    development,
    logger: safeLogger,
    epochNow,
  };
  const subscriptions = createSubscriptions({
    hub: source.changes,
    capabilities: () => catalog().capabilities,
    watchTasks: tasks.watch,
    mayWatch: (uri, principal) =>
      definitionsOfUri(catalog(), uri).every(({ scopes }) => holdsScopes(principal, scopes)),
    epochNow,
  });
  const core = createCoreHandlers({ catalog, invocations, createReference, logger: safeLogger });
  const handlers: Endpoint['handlers'] = { ...core.handlers, 'subscriptions/listen': subscriptions.listen };
  for (const { createHandlers } of serverExtensions)
    Object.assign(handlers, createHandlers?.({ catalog, taskMethods: tasks.methods }));
  return {
    info,
    ...present({ instructions, logRequests: options.logRequests }),
    get capabilities() {
      return catalog().capabilities;
    },
    handlers: composeHandlers(composition, {
      handlers,
      discover: createDiscover({ info, instructions }, () => catalog().capabilities),
      read: core.read,
      deadlines: invocations.deadlines,
      timeoutMs: invocations.timeoutMs,
      logger: safeLogger,
    }),
    maxResultChars: limits.maxResultChars,
    maxArgumentChars: limits.maxArgumentChars,
    paramHeaders: (tool) => catalog().tools.get(tool)?.headers,
    async prepare({ isLoopback }) {
      await state?.prepare(isLoopback);
      if (!isLoopback && options.records === undefined && catalog().extensions[extensions.tasks] !== undefined)
        safeLogger.warn({}, TASKS_IN_MEMORY);
    },
    async endStreams() {
      subscriptions.end();
      await tasks.end();
    },
    logger,
    createReference,
    now,
    epochNow,
  };
}

const TASKS_IN_MEMORY =
  'tasks are kept in the memory of this process: they are lost with it, and other instances do not have them; pass `records` to createServer';

/** What of invocations needs a store. */
function effectsOver(
  records: RecordStore | undefined,
  retentionMs: number,
  epochNow: () => number,
  logger: Logger,
): Pick<InvocationSite, 'effects' | 'singleUse'> {
  if (records === undefined) return { effects: undefined, singleUse: undefined };
  const claims = createClaims(records, {
    epochNow,
    createId: () => crypto.randomUUID(),
    onFailure: (err) => logger.error({ err }, 'a record of an effect could not be written'),
  });
  return { effects: createEffects(claims, retentionMs), singleUse: createSingleUse(claims) };
}
