import {
  createSafeLogger,
  type ErrorBody,
  extensions,
  type Implementation,
  type JsonObject,
  type Logger,
  type ParamsOf,
  ProtocolError,
} from '@switchyard/protocol';

import type { RecordStore } from '@switchyard/stores';

import { assertLinks } from '../apps/assert-links.ts';
import { holdsScopes } from '../authorization/assert-scopes.ts';
import type { Catalog } from './catalog.ts';
import { composeHandlers } from '../composition/compose-handlers.ts';
import type { Part } from '../composition/part.ts';
import { consoleLogger } from '../console-logger.ts';
import { errorResult } from '../definition/tool-result.ts';
import { createClaims } from '../effects/claim.ts';
import { createEffects } from '../effects/once.ts';
import { createSingleUse } from '../effects/single-use.ts';
import type { Endpoint, LoggedRequests, MethodHandler } from './endpoint.ts';
import { createToErrorReply, safeReference } from './error-reply.ts';
import { withInput } from '../input/invocation.ts';
import type { InvocationSite } from '../input/invocation-site.ts';
import { createDeadlines } from '../limits/deadlines.ts';
import { withDeadline } from '../limits/with-deadline.ts';
import { complete } from '../methods/completion.ts';
import { createDiscover } from '../methods/discover.ts';
import { getPrompt } from '../methods/prompts.ts';
import { type Readable, readResource } from '../methods/resources.ts';
import { callTool, type ToolFailed } from '../methods/tools.ts';
import { createSkillMethods } from '../skills/skill-catalog.ts';
import type { ServerLimits } from '../server-options.ts';
import { createRequestState, type RequestStateOptions } from '../state/request-state.ts';
import type { StateKeySource } from '../state/state-keys.ts';
import type { ChangeHub } from '../subscriptions/change-hub.ts';
import { createSubscriptions } from '../subscriptions/listen.ts';
import { createTasks } from '../tasks/create-tasks.ts';
import type { TasksOptions } from '../tasks/tasks-options.ts';

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
  readonly logger: Logger | undefined;
  readonly logRequests: LoggedRequests | undefined;
  readonly state: RequestStateOptions | false;
  readonly development: boolean | undefined;
  readonly createReference: (() => string) | undefined;
  readonly now: (() => number) | undefined;
  readonly epochNow: (() => number) | undefined;
  readonly changes: ChangeHub;
  readonly records: RecordStore | undefined;
  /** Where tasks are stored: `records`, or the memory of this process. */
  taskRecords(): RecordStore;
  readonly tasks: Required<TasksOptions>;
  /** Whether `changes` hears of other instances. */
  readonly hasBus: boolean;
  readonly limits: ServerLimits;
  /** The interceptors and mounts that its handlers are compiled with. */
  readonly composition: Part;
  /** The definitions as they are now. */
  catalog(): Catalog;
}

/**
 * Makes the endpoint that serves what an author defined.
 *
 * @throws TypeError when a tool is linked to an app that there is not.
 */
export function createEndpoint(source: EndpointSource, defaults: EndpointDefaults = {}): Endpoint {
  const { info, instructions, catalog } = source;
  assertLinks(catalog());
  const logger = source.logger ?? defaults.logger ?? consoleLogger;
  const safeLogger = createSafeLogger(logger);
  const createReference = source.createReference ?? (() => crypto.randomUUID());
  const now = source.now ?? (() => performance.now());
  const state =
    source.state === false
      ? undefined
      : createRequestState(source.state, { name: info.name, otherwise: defaults.stateKeys, now, logger: safeLogger });
  const epochNow = source.epochNow ?? (() => Date.now());
  const claims =
    source.records === undefined
      ? undefined
      : createClaims(source.records, {
          epochNow,
          createId: () => crypto.randomUUID(),
          onFailure: (err) => safeLogger.error({ err }, 'a record of an effect could not be written'),
        });
  const toErrorReply = createToErrorReply({ createReference }, safeLogger);
  const audience = state?.audience ?? info.name;
  const tasks = createTasks({
    records: source.taskRecords(),
    isShared: source.records !== undefined,
    hasBus: source.hasBus,
    changes: source.changes,
    options: source.tasks,
    audience,
    epochNow,
    logger: safeLogger,
    toErrorBody: (thrown) => (JSON.parse(toErrorReply(undefined, thrown, 'task failed').text) as Failed).error,
  });
  const invocations: InvocationSite = {
    state,
    audience,
    tasks,
    effects: claims === undefined ? undefined : createEffects(claims, source.limits.effectRetentionMs),
    singleUse: claims === undefined ? undefined : createSingleUse(claims),
    deadlines: createDeadlines(source.limits.timeoutMs),
    timeoutMs: source.limits.timeoutMs,
    development: source.development ?? defaults.development ?? false,
    logger: safeLogger,
    epochNow,
  };
  const failed: ToolFailed = (tool, cause) => {
    const reference = safeReference(createReference);
    safeLogger.error({ reference, method: 'tools/call', name: tool, err: cause }, 'tool failed');
    return errorResult(`The tool ${tool} failed (reference ${reference})`);
  };
  const subscriptions = createSubscriptions({
    hub: source.changes,
    capabilities: () => catalog().capabilities,
    watchTasks: tasks.watch,
    mayWatch: (uri, principal) =>
      definitionsOfUri(catalog(), { uri }).every(({ scopes }) => holdsScopes(principal, scopes)),
    epochNow,
  });
  const read = (readable: () => Readable): MethodHandler =>
    withInput(invocations, {
      method: 'resources/read',
      serve: (params, context) => readResource(readable(), params, context),
      definitionsOf: (params) => definitionsOfUri(catalog(), params),
      giveUp: failRequest,
    });
  const described = {
    info,
    ...(instructions === undefined ? {} : { instructions }),
    get capabilities() {
      return catalog().capabilities;
    },
  };
  const skills = createSkillMethods(() => catalog().skills);
  const handlers: Endpoint['handlers'] = {
    'tools/list': ({ cursor }) => catalog().pages.tools.page(cursor as string | undefined),
    'tools/call': withInput(invocations, {
      method: 'tools/call',
      serve: (params, context) => callTool(catalog(), params, context, failed),
      definitionsOf: ({ name }) => defined(catalog().tools.get(name as string)),
      giveUp: (message) => errorResult(message),
    }),
    'resources/list': ({ cursor }) => catalog().pages.resources.page(cursor as string | undefined),
    'resources/templates/list': ({ cursor }) => catalog().pages.templates.page(cursor as string | undefined),
    'resources/read': read(catalog),
    'prompts/list': ({ cursor }) => catalog().pages.prompts.page(cursor as string | undefined),
    'prompts/get': withInput(invocations, {
      method: 'prompts/get',
      serve: (params, context) => getPrompt(catalog(), params, context),
      definitionsOf: ({ name }) => defined(catalog().prompts.get(name as string)),
      giveUp: failRequest,
    }),
    'completion/complete': withDeadline('completion/complete', invocations, (params, context) =>
      complete(catalog(), params, context),
    ),
    'subscriptions/listen': subscriptions.listen,
    'skills/list': skills.list,
    'skills/get': skills.get,
    'resources/directory/read': skills.readDirectory,
    'tasks/get': tasks.methods.get,
    'tasks/update': tasks.methods.update,
    'tasks/cancel': tasks.methods.cancel,
  };
  return {
    info,
    ...(instructions === undefined ? {} : { instructions }),
    get capabilities() {
      return catalog().capabilities;
    },
    handlers: composeHandlers(source.composition, {
      handlers,
      discover: createDiscover(described),
      read,
      logger: safeLogger,
    }),
    maxResultChars: source.limits.maxResultChars,
    maxArgumentChars: source.limits.maxArgumentChars,
    paramHeaders: (tool) => catalog().tools.get(tool)?.headers,
    async prepare({ isLoopback }) {
      await state?.prepare(isLoopback);
      if (!isLoopback && source.records === undefined && catalog().capabilities.extensions?.[extensions.tasks])
        safeLogger.warn({}, TASKS_IN_MEMORY);
    },
    async endStreams() {
      subscriptions.end();
      await tasks.end();
    },
    ...(source.logRequests === undefined ? {} : { logRequests: source.logRequests }),
    logger,
    createReference,
    now,
    epochNow,
  };
}

/** An error response. */
interface Failed {
  readonly error: ErrorBody;
}

const TASKS_IN_MEMORY =
  'tasks are kept in the memory of this process: they are lost with it, and other instances do not have them; pass `records` to createServer';

function defined<T>(definition: T | undefined): readonly T[] {
  return definition === undefined ? [] : [definition];
}

/** The resource with this URI and every template that may serve it. */
function definitionsOfUri(
  catalog: Catalog,
  params: JsonObject,
): readonly { readonly listed: object; readonly scopes: readonly string[] }[] {
  const { uri } = params as ParamsOf<'resources/read'>;
  const templates = catalog.orderedTemplates.filter(({ template }) => template.match(uri) !== undefined);
  return [...defined(catalog.resources.get(uri)), ...templates];
}

function failRequest(message: string): never {
  throw new ProtocolError('internalError', message);
}
