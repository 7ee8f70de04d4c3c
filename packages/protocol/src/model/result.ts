import {
  array,
  boolean,
  integer,
  jsonObject,
  type Members,
  number,
  object,
  type ObjectOf,
  oneOf,
  type Shape,
  type Shaped,
  string,
  unknown,
} from '../shape.ts';
import { serverCapabilities } from './capabilities.ts';
import { contentBlock, resourceContents } from './content.ts';
import { implementation } from './implementation.ts';
import { type Prompt, promptMessage } from './prompt.ts';
import type { Resource, ResourceTemplate } from './resource.ts';
import { skill, type Skill } from './skill.ts';
import { type DetailedTask, detailedTask } from './task.ts';
import type { Tool } from './tool.ts';

// The shapes below describe what a server of this revision sends, and check what a client accepts, which is more: a
// client reads `resultType` before anything else and `_meta` key by key, takes absent cache hints for "stale" (legacy
// servers send none), and checks a list entry by entry, so that one bad entry does not hide the others.

const everywhere = { resultType: string, _meta: jsonObject };

/** Members that every result may have; an absent `resultType` means `complete`. Spec: schema#result (2026-07-28). */
export type Result = ObjectOf<Record<never, never>, typeof everywhere>;

/** Who may share a cached result: everybody, or only whoever asked. Spec: server/utilities/caching (2026-07-28). */
export const cacheScope = oneOf('public', 'private');
/** See {@link cacheScope}. */
export type CacheScope = Shaped<typeof cacheScope>;

const hints = { ttlMs: number, cacheScope };

/**
 * How long a result stays fresh, in milliseconds (0: stale at once), and who may share it. Spec:
 * server/utilities/caching (2026-07-28).
 */
export type CacheHints = ObjectOf<typeof hints, Record<never, never>>;

/** A result with the members that every result may have. */
function result<const R extends Members, const O extends Members = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<ObjectOf<R, O & typeof everywhere>> {
  return object(required, optional) as Shape<ObjectOf<R, O & typeof everywhere>>;
}

/** The same with cache hints. */
function cacheableResult<const R extends Members, const O extends Members = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<ObjectOf<R & typeof hints, O & typeof everywhere>> {
  return object(required, { ...optional, ...hints }) as object as Shape<
    ObjectOf<R & typeof hints, O & typeof everywhere>
  >;
}

/** A list whose entries are for its reader to check. */
function list<T>(): Shape<readonly T[]> {
  return array(unknown) as Shape<readonly T[]>;
}

const page = { nextCursor: string };

/** The result of each method, as it is received. */
export const results = {
  discover: cacheableResult(
    { supportedVersions: array(string), capabilities: serverCapabilities },
    { instructions: string },
  ),
  listTools: cacheableResult({ tools: list<Tool>() }, page),
  listResources: cacheableResult({ resources: list<Resource>() }, page),
  listResourceTemplates: cacheableResult({ resourceTemplates: list<ResourceTemplate>() }, page),
  listPrompts: cacheableResult({ prompts: list<Prompt>() }, page),
  callTool: result(
    { content: array(contentBlock) },
    { structuredContent: unknown, isError: boolean, _meta: jsonObject },
  ),
  readResource: cacheableResult({ contents: array(resourceContents) }),
  getPrompt: result({ messages: array(promptMessage) }, { description: string }),
  getTask: detailedTask as Shape<object> as Shape<DetailedTask & Result>,
  listSkills: cacheableResult({ skills: list<Skill>() }, page),
  getSkill: cacheableResult({ skill }),
  readDirectory: cacheableResult({ resources: list<Resource>() }, page),
  complete: result({ completion: object({ values: array(string) }, { total: integer, hasMore: boolean }) }),
  initialize: object(
    { protocolVersion: string, capabilities: serverCapabilities, serverInfo: implementation },
    { instructions: string },
  ),
  empty: jsonObject,
} as const;

/** What a server is and speaks. Spec: server/discover (2026-07-28). */
export type DiscoverResult = Shaped<typeof results.discover>;

/** A page of tools; a `nextCursor` leads to the next one. Spec: server/tools#listing-tools (2026-07-28). */
export type ListToolsResult = Shaped<typeof results.listTools>;

/** A page of resources. Spec: server/resources#listing-resources (2026-07-28). */
export type ListResourcesResult = Shaped<typeof results.listResources>;

/** A page of resource templates. Spec: server/resources#resource-templates (2026-07-28). */
export type ListResourceTemplatesResult = Shaped<typeof results.listResourceTemplates>;

/** A page of prompts. Spec: server/prompts#listing-prompts (2026-07-28). */
export type ListPromptsResult = Shaped<typeof results.listPrompts>;

/**
 * What a tool answered, or, with `isError`, why it failed; absent, `isError` means false. Spec: schema#calltoolresult
 * (2026-07-28).
 */
export type CallToolResult = Shaped<typeof results.callTool>;

/** What a resource holds; one URI may give several contents. Spec: server/resources#reading-resources (2026-07-28). */
export type ReadResourceResult = Shaped<typeof results.readResource>;

/** The messages of a prompt with its arguments filled in. Spec: server/prompts#getting-a-prompt (2026-07-28). */
export type GetPromptResult = Shaped<typeof results.getPrompt>;

/** A task as it is now. Spec: SEP-2663, task polling. */
export type GetTaskResult = Shaped<typeof results.getTask>;

/** A page of skills. Spec: SEP-2640. */
export type ListSkillsResult = Shaped<typeof results.listSkills>;

/** One skill. Spec: SEP-2640. */
export type GetSkillResult = Shaped<typeof results.getSkill>;

/** A page of what a directory holds. Spec: SEP-2640. */
export type ReadDirectoryResult = Shaped<typeof results.readDirectory>;

/** Suggestions for one argument, best first. Spec: server/utilities/completion (2026-07-28). */
export type CompleteResult = Shaped<typeof results.complete>;

/**
 * At most 100 values out of `total`; `hasMore` says that there are others. Spec: server/utilities/completion
 * (2026-07-28).
 */
export type Completion = CompleteResult['completion'];

/** The `initialize` result of a legacy server. Spec: 2025-11-25/basic/lifecycle. */
export type InitializeResult = Shaped<typeof results.initialize>;
