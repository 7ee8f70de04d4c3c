import type {
  CacheHints,
  CallToolResult,
  CompleteResult,
  DiscoverResult,
  GetPromptResult,
  Implementation,
  JsonObject,
  ParamsOf,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Revision,
  ServerCapabilities,
  Tool,
} from '@switchyard/protocol';
import type { CallOptions } from './call/call-options.ts';
import { callTool, listTools } from './call/call-tool.ts';
import type { Caller } from './call/caller.ts';
import { listAll } from './call/list-all.ts';
import type { LeftOut } from './left-out.ts';
import { promptList, resourceList, resourceTemplateList } from './call/list-kinds.ts';
import type { SessionKeeper } from './negotiate/session-keeper.ts';
import type { Session } from './session.ts';

/** What every list has beside its entries: how fresh it is, and what was left out of it. */
export interface Listed extends CacheHints {
  readonly leftOut: readonly LeftOut[];
}

/**
 * One server, reached. All methods may run concurrently; each rejects with a `ClientError` or the peer's
 * `ProtocolError`.
 */
export interface Client extends AsyncDisposable {
  /** The configured name of the server. */
  readonly name: string;
  readonly era: 'modern' | 'legacy';
  readonly revision: Revision;
  /** What the server calls itself, where it says so: for display only. */
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** Text from outside. */
  readonly instructions: string | undefined;

  /** Asks a modern server what it offers; of a legacy one it answers what was learned at the start. */
  discover(options?: CallOptions): Promise<DiscoverResult>;
  /** All tools, in the server's order. */
  listTools(options?: CallOptions): Promise<Listed & { readonly tools: readonly Tool[] }>;
  /** Calls a tool. A failure of the tool itself is a result with `isError`, not a rejection. */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  listResources(options?: CallOptions): Promise<Listed & { readonly resources: readonly Resource[] }>;
  listResourceTemplates(
    options?: CallOptions,
  ): Promise<Listed & { readonly resourceTemplates: readonly ResourceTemplate[] }>;
  /** Reads a resource. `isResourceNotFound` says whether a rejection means that there is none. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
  listPrompts(options?: CallOptions): Promise<Listed & { readonly prompts: readonly Prompt[] }>;
  getPrompt(name: string, args?: { readonly [name: string]: string }, options?: CallOptions): Promise<GetPromptResult>;
  complete(params: ParamsOf<'completion/complete'>, options?: CallOptions): Promise<CompleteResult>;

  /**
   * Ends the session and everything behind it: a child process with its whole group, sockets, a legacy session. What is
   * under way rejects with code `closed`, and so does every later call. Resolves when all is gone; more calls do no
   * more.
   */
  close(): Promise<void>;
}

/**
 * Creates the client of a server that was reached. `first` is its session at the start; later ones come from the
 * keeper.
 */
export function createClient(caller: Caller, keeper: SessionKeeper, first: Session): Client {
  const { context } = caller;
  const { facts, era } = first;

  return {
    name: context.server,
    era,
    revision: facts.revision,
    serverInfo: facts.info,
    capabilities: facts.capabilities,
    instructions: facts.instructions,

    discover: (options) => caller.run('server/discover', options, (call) => call.discover()),

    listTools: (options) =>
      caller.run('tools/list', options, async (call) => {
        const { entries, ...listed } = await listTools(context, call);
        return { tools: entries, ...listed };
      }),

    callTool: (name, args = {}, options) =>
      caller.run('tools/call', options, (call) => callTool(context, call, { name, args })),

    listResources: (options) =>
      caller.run('resources/list', options, async (call) => {
        const { entries, ...listed } = await listAll(context, call, resourceList);
        return { resources: entries, ...listed };
      }),

    listResourceTemplates: (options) =>
      caller.run('resources/templates/list', options, async (call) => {
        const { entries, ...listed } = await listAll(context, call, resourceTemplateList);
        return { resourceTemplates: entries, ...listed };
      }),

    readResource: (uri, options) =>
      caller.run('resources/read', options, (call) => call.request('resources/read', { uri })),

    listPrompts: (options) =>
      caller.run('prompts/list', options, async (call) => {
        const { entries, ...listed } = await listAll(context, call, promptList);
        return { prompts: entries, ...listed };
      }),

    getPrompt: (name, args, options) =>
      caller.run('prompts/get', options, (call) =>
        call.request('prompts/get', args === undefined ? { name } : { name, arguments: args }),
      ),

    complete: (params, options) =>
      caller.run('completion/complete', options, (call) => call.request('completion/complete', { ...params })),

    close: () => keeper.close(),
    [Symbol.asyncDispose]: () => keeper.close(),
  };
}
