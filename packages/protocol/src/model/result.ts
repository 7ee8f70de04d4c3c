import {
  array,
  boolean,
  integer,
  jsonObject,
  type JsonObject,
  number,
  object,
  oneOf,
  type Shaped,
  string,
  unknown,
} from '../shape.ts';
import { serverCapabilities, type ServerCapabilities } from './capabilities.ts';
import type { ContentBlock, ResourceContents } from './content.ts';
import { resourceContents } from './content.ts';
import { type Implementation, implementation } from './implementation.ts';
import { type Prompt, type PromptMessage, receivedPromptMessage } from './prompt.ts';
import type { Resource, ResourceTemplate } from './resource.ts';
import { callToolResult, type Tool } from './tool.ts';

/** Members that every result may have. Spec: schema#result (2026-07-28). */
export interface Result {
  readonly resultType?: string;
  readonly _meta?: JsonObject;
}

/** Who may share a cached result. Spec: server/utilities/caching (2026-07-28). */
export const cacheScope = oneOf('public', 'private');
export type CacheScope = Shaped<typeof cacheScope>;

/** How long a result stays fresh, in milliseconds (0 = stale at once), and who may share it. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: CacheScope;
}

export interface DiscoverResult extends Result, CacheHints {
  readonly supportedVersions: readonly string[];
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

interface Page extends Result, CacheHints {
  readonly nextCursor?: string;
}

export interface ListToolsResult extends Page {
  readonly tools: readonly Tool[];
}
export interface ListResourcesResult extends Page {
  readonly resources: readonly Resource[];
}
export interface ListResourceTemplatesResult extends Page {
  readonly resourceTemplates: readonly ResourceTemplate[];
}
export interface ListPromptsResult extends Page {
  readonly prompts: readonly Prompt[];
}

export interface CallToolResult extends Result {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface ReadResourceResult extends Result, CacheHints {
  readonly contents: readonly ResourceContents[];
}

export interface GetPromptResult extends Result {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** At most 100 values. Spec: server/utilities/completion (2026-07-28). */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
export interface CompleteResult extends Result {
  readonly completion: Completion;
}

/** The `initialize` result of a legacy server. Spec: 2025-11-25/basic/lifecycle. */
export interface InitializeResult {
  readonly protocolVersion: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo: Implementation;
  readonly instructions?: string;
}

// The shapes below check what is received. A list is checked entry by entry by its reader, so that one bad entry does not
// hide the others; cache hints may be absent, because legacy servers send none.
const page = { nextCursor: string, ttlMs: number, cacheScope };

export const receivedResults = {
  discover: object(
    { supportedVersions: array(string), capabilities: serverCapabilities },
    { instructions: string, ttlMs: number, cacheScope },
  ),
  listTools: object({ tools: array(unknown) }, page),
  listResources: object({ resources: array(unknown) }, page),
  listResourceTemplates: object({ resourceTemplates: array(unknown) }, page),
  listPrompts: object({ prompts: array(unknown) }, page),
  callTool: callToolResult,
  readResource: object({ contents: array(resourceContents) }, { ttlMs: number, cacheScope }),
  getPrompt: object({ messages: array(receivedPromptMessage) }, { description: string }),
  complete: object({ completion: object({ values: array(string) }, { total: integer, hasMore: boolean }) }),
  initialize: object(
    { protocolVersion: string, capabilities: serverCapabilities, serverInfo: implementation },
    { instructions: string },
  ),
  empty: jsonObject,
} as const;
