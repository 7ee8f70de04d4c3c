import { type ExtensionId, extensions } from './extensions.ts';
import type { ServerCapability } from './model/capabilities.ts';
import { loggingLevel } from './model/logging.ts';
import { prompt } from './model/prompt.ts';
import { resource, resourceTemplate } from './model/resource.ts';
import { skill } from './model/skill.ts';
import { subscriptionFilter } from './model/subscription-filter.ts';
import { results } from './model/result.ts';
import { tool } from './model/tool.ts';
import { everyRevision, latestRevision, legacyRevisions, modernRevisions, type Revision } from './revision.ts';
import { jsonObject, object, oneOf, record, type Shape, type Shaped, string, unknown, variant } from './shape.ts';

/** What the result of a method holds that lists. */
export interface ListShape {
  /** The member of a page that holds the entries. */
  readonly member: 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'skills';
  /** The member of an entry that no other entry of the list has the same. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  /** The shape of an entry; that of the result leaves the entries for their reader to check, one by one. */
  readonly entry: Shape<unknown>;
}

/** What the protocol says about one request method. */
export interface Method {
  /** The shape of `params`, `_meta` aside, which {@link readRequestMetadata} reads. */
  readonly params: Shape<unknown>;
  /** The shape of a complete result as it is received. */
  readonly result: Shape<unknown>;
  /** The capability that a server advertises when it serves the method; none: every server serves it. */
  readonly capability?: ServerCapability;
  /** The extension that the method belongs to; a server that does not advertise it does not have the method. */
  readonly extension?: ExtensionId;
  /** Whether the client must declare the extension, too, on the request itself. */
  readonly needsDeclaration?: true;
  /** The member of `params` that the `Mcp-Name` header repeats. */
  readonly nameFrom?: 'name' | 'uri' | 'taskId';
  /** What the method lists, in pages. */
  readonly list?: ListShape;
  /** Whether a complete result carries `ttlMs` and `cacheScope`. */
  readonly cacheable?: true;
  /** Whether the server may answer with an `input_required` result. */
  readonly mayRequireInput?: true;
  /** Whether the response comes only when the request is ended: a stream of notifications. */
  readonly staysOpen?: true;
  /** Revisions that have the method. */
  readonly revisions: readonly Revision[];
}

const paged = object({}, { cursor: string });
const ofTask = {
  extension: extensions.tasks,
  needsDeclaration: true,
  nameFrom: 'taskId',
  revisions: modernRevisions,
} as const;
const answers = { inputResponses: jsonObject, requestState: string };

/**
 * The protocol's request methods, each declared once. Dispatch, header checks, caching and documentation derive from
 * this table; there is no second list of method names.
 *
 * Spec: schema (2026-07-28) and the legacy revisions' schemas.
 */
export const methods = {
  'server/discover': {
    params: jsonObject,
    result: results.discover,
    cacheable: true,
    revisions: modernRevisions,
  },
  'tools/list': {
    params: paged,
    result: results.listTools,
    list: { member: 'tools', key: 'name', entry: tool },
    capability: 'tools',
    cacheable: true,
    revisions: everyRevision,
  },
  'tools/call': {
    params: object({ name: string }, { arguments: jsonObject, ...answers }),
    result: results.callTool,
    capability: 'tools',
    nameFrom: 'name',
    mayRequireInput: true,
    revisions: everyRevision,
  },
  'resources/list': {
    params: paged,
    result: results.listResources,
    list: { member: 'resources', key: 'uri', entry: resource },
    capability: 'resources',
    cacheable: true,
    revisions: everyRevision,
  },
  'resources/templates/list': {
    params: paged,
    result: results.listResourceTemplates,
    list: { member: 'resourceTemplates', key: 'uriTemplate', entry: resourceTemplate },
    capability: 'resources',
    cacheable: true,
    revisions: everyRevision,
  },
  'resources/read': {
    params: object({ uri: string }, answers),
    result: results.readResource,
    capability: 'resources',
    nameFrom: 'uri',
    cacheable: true,
    mayRequireInput: true,
    revisions: everyRevision,
  },
  'prompts/list': {
    params: paged,
    result: results.listPrompts,
    list: { member: 'prompts', key: 'name', entry: prompt },
    capability: 'prompts',
    cacheable: true,
    revisions: everyRevision,
  },
  'prompts/get': {
    params: object({ name: string }, { arguments: record(string), ...answers }),
    result: results.getPrompt,
    capability: 'prompts',
    nameFrom: 'name',
    mayRequireInput: true,
    revisions: everyRevision,
  },
  'completion/complete': {
    params: object(
      {
        ref: variant('type', {
          'ref/prompt': object({ type: oneOf('ref/prompt'), name: string }),
          'ref/resource': object({ type: oneOf('ref/resource'), uri: string }),
        }),
        argument: object({ name: string, value: string }),
      },
      { context: object({}, { arguments: record(string) }) },
    ),
    result: results.complete,
    capability: 'completions',
    revisions: everyRevision,
  },
  'subscriptions/listen': {
    params: object({ notifications: subscriptionFilter }),
    result: results.empty,
    staysOpen: true,
    revisions: modernRevisions,
  },
  'tasks/get': { params: object({ taskId: string }), result: results.getTask, ...ofTask },
  'tasks/update': { params: object({ taskId: string, inputResponses: jsonObject }), result: results.empty, ...ofTask },
  'tasks/cancel': { params: object({ taskId: string }), result: results.empty, ...ofTask },
  'skills/list': {
    params: paged,
    result: results.listSkills,
    list: { member: 'skills', key: 'uri', entry: skill },
    extension: extensions.skills,
    cacheable: true,
    revisions: modernRevisions,
  },
  'skills/get': {
    params: object({ uri: string }),
    result: results.getSkill,
    extension: extensions.skills,
    cacheable: true,
    revisions: modernRevisions,
  },
  'resources/directory/read': {
    params: object({ uri: string }, { cursor: string }),
    result: results.readDirectory,
    list: { member: 'resources', key: 'uri', entry: resource },
    extension: extensions.skills,
    cacheable: true,
    revisions: modernRevisions,
  },
  initialize: {
    params: object({ protocolVersion: string }, { capabilities: jsonObject, clientInfo: unknown }),
    result: results.initialize,
    revisions: legacyRevisions,
  },
  ping: { params: jsonObject, result: results.empty, revisions: legacyRevisions },
  'logging/setLevel': {
    params: object({ level: loggingLevel }),
    result: results.empty,
    capability: 'logging',
    revisions: legacyRevisions,
  },
  'resources/subscribe': {
    params: object({ uri: string }),
    result: results.empty,
    capability: 'resources',
    revisions: legacyRevisions,
  },
  'resources/unsubscribe': {
    params: object({ uri: string }),
    result: results.empty,
    capability: 'resources',
    revisions: legacyRevisions,
  },
} as const satisfies { readonly [name: string]: Method };

/** The name of a request method of any revision. */
export type MethodName = keyof typeof methods;

/** The name of a method that lists. */
export type ListMethodName = {
  [M in MethodName]: (typeof methods)[M] extends { readonly list: ListShape } ? M : never;
}[MethodName];

/** The name of a method at which a server may ask before it answers. */
export type AskingMethod = {
  [M in MethodName]: (typeof methods)[M] extends { readonly mayRequireInput: true } ? M : never;
}[MethodName];

/** The params of a method, `_meta` aside. */
export type ParamsOf<M extends MethodName> = Shaped<(typeof methods)[M]['params']>;

/** The complete result of a method, as it is received. */
export type ResultOf<M extends MethodName> = Shaped<(typeof methods)[M]['result']>;

/** The name of a method that {@link latestRevision} has. */
export type ModernMethodName = {
  [M in MethodName]: (typeof methods)[M]['revisions'] extends typeof legacyRevisions ? never : M;
}[MethodName];

/** Answers what the protocol says about a method name from outside, or `undefined` for one that it does not know. */
export function methodOf(name: string): Method | undefined {
  return Object.hasOwn(methods, name) ? methods[name as MethodName] : undefined;
}

/** Answers whether there is such a method at {@link latestRevision}. */
export function isModernMethod(method: Method | undefined): method is Method {
  return method !== undefined && method.revisions.includes(latestRevision);
}
