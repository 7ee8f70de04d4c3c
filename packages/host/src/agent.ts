import { untilAborted } from '@switchyard/client';
import {
  assertKnownOptions,
  type CallToolResult,
  type CompleteResult,
  type GetPromptResult,
  type JsonObject,
  type KnownOptions,
  type ParamsOf,
  type ReadResourceResult,
} from '@switchyard/protocol';
import { type CallingAgent, type CallOptions, callOptions } from './call/call.ts';
import type { Operation, OperationMethod } from './call/operation.ts';
import type { Outcome } from './call/outcome.ts';
import { outcomeToResult } from './call/outcome-to-result.ts';
import type { AgentView } from './catalog/agent-view.ts';
import type { Directory } from './catalog/directory.ts';
import type { ExposedPrompt, ExposedResource, ExposedResourceTemplate, ExposedTool } from './catalog/entry.ts';
import type { AgentPolicy } from './policy/agent-policy.ts';
import type { GovernedKind } from './policy/governed.ts';
import { findUnmatchedEntries, type UnmatchedEntry } from './policy/unmatched-entries.ts';
import type { Unavailability } from './upstream/unavailable.ts';

/** A server that the agent could reach and that cannot be used now. What it last listed is still listed. */
export interface UnavailableServer extends Unavailability {
  /** The configured name. */
  readonly server: string;
}

/** What every list says beside its entries. */
export interface Available {
  readonly unavailable: readonly UnavailableServer[];
}

/** What is given with a list. */
export interface ListOptions {
  /** Gives the waiting up: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const listOptions: KnownOptions<ListOptions> = { signal: true };

/**
 * The host as one agent may use it. Every call takes the governed path; see `createPipeline`.
 *
 * The lists are sorted by what entries are exposed as. They wait for servers that start, each at most the start
 * timeout, and hold what is known of the others; a server that fails takes nothing from the rest.
 */
export interface Agent {
  readonly name: string;
  /** The agent's policy as Cedar text. */
  readonly policy: string;
  /**
   * The entries of the agent's access lists that match nothing of the server that they name, `deny` first, as far as
   * servers have said what they have. Asks nobody. The host warns of each once, after a list.
   */
  unmatchedEntries(): readonly UnmatchedEntry[];
  tools(options?: ListOptions): Promise<Available & { readonly tools: readonly ExposedTool[] }>;
  /**
   * Answers the definition of one tool by its exposed name, or `undefined` where the agent has none of that name now.
   * It is the definition that a call made now would have: one that is known is answered at once, and for any other name
   * only the server that could have it is waited for, at most its start timeout.
   */
  tool(exposedName: string, options?: ListOptions): Promise<ExposedTool | undefined>;
  resources(options?: ListOptions): Promise<Available & { readonly resources: readonly ExposedResource[] }>;
  resourceTemplates(
    options?: ListOptions,
  ): Promise<Available & { readonly resourceTemplates: readonly ExposedResourceTemplate[] }>;
  prompts(options?: ListOptions): Promise<Available & { readonly prompts: readonly ExposedPrompt[] }>;

  /**
   * Calls a tool by its exposed name and answers the form that travels: whatever the host decides against a call is a
   * result with `isError` and a verdict under `_meta["dev.switchyard/verdict"]`. Rejects with a `ProtocolError` for an
   * unknown name, which a name out of reach equals, and for an error of the server.
   */
  call(exposedName: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  /** Reads a resource by its URI or a qualified one. Rejects with a `ProtocolError`; see `present`. */
  read(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
  /** Gets a prompt by its exposed name. Rejects with a `ProtocolError`. */
  prompt(
    exposedName: string,
    args?: { readonly [name: string]: string },
    options?: CallOptions,
  ): Promise<GetPromptResult>;
  /** Completes an argument of a prompt or resource template, by exposed name or URI. Rejects with a `ProtocolError`. */
  complete(params: ParamsOf<'completion/complete'>, options?: CallOptions): Promise<CompleteResult>;
  /**
   * Carries out an operation and answers how it ended, with what only this process may know. Rejects for nothing but an
   * option that there is not, with a TypeError.
   */
  invoke<M extends OperationMethod>(operation: Operation<M>, options?: CallOptions): Promise<Outcome<M>>;
}

/** What an agent is made of. */
export interface AgentParts {
  readonly name: string;
  readonly directory: Directory;
  /** The agent's policy as it is now: a mounted server changes it. */
  policy(): AgentPolicy;
  /** Told after each list, when what the agent's servers have is known as far as it can be. */
  onListed(): void;
  /** Carries out an operation on behalf of the agent. */
  run(calling: CallingAgent, operation: Operation, options: CallOptions): Promise<Outcome>;
}

/** Makes the host's face towards one agent. */
export function createAgent({ name, directory, policy, onListed, run }: AgentParts): Agent {
  const view = (): AgentView => directory.viewOf(policy());

  async function invoke<M extends OperationMethod>(
    operation: Operation<M>,
    options: CallOptions = {},
  ): Promise<Outcome<M>> {
    assertKnownOptions('the call of an agent', options, callOptions);
    const calling: CallingAgent = { name, policy: policy(), view };
    // The pipeline answers an operation with the result of its own method.
    return (await run(calling, operation as Operation, options)) as Outcome<M>;
  }

  async function carryOut<M extends OperationMethod>(operation: Operation<M>, options?: CallOptions) {
    return outcomeToResult(operation, await invoke(operation, options));
  }

  async function listed(
    kind: GovernedKind,
    options: ListOptions = {},
  ): Promise<Available & { readonly listed: AgentView['listed'] }> {
    assertKnownOptions('the list of an agent', options, listOptions);
    const { signal } = options;
    const reachable = directory.reachable(policy(), kind);
    await untilAborted(signal, Promise.all(reachable.map((upstream) => upstream.refresh())));
    const unavailable = reachable.flatMap(({ name: server, unavailability }) =>
      unavailability === undefined ? [] : [{ server, ...unavailability }],
    );
    onListed();
    return { listed: view().listed, unavailable };
  }

  return {
    name,
    get policy() {
      return policy().text;
    },
    unmatchedEntries: () => findUnmatchedEntries(name, policy().rules, directory.upstreams()),
    async tools(options) {
      const { listed: lists, unavailable } = await listed('tool', options);
      return { tools: lists.tools, unavailable };
    },
    async tool(exposedName, options = {}) {
      assertKnownOptions('agent.tool', options, listOptions);
      const known = view().tools.get(exposedName);
      if (known !== undefined) return known.exposed;
      await directory.ask(policy(), 'tool', exposedName, options.signal);
      return view().tools.get(exposedName)?.exposed;
    },
    async resources(options) {
      const { listed: lists, unavailable } = await listed('resource', options);
      return { resources: lists.resources, unavailable };
    },
    async resourceTemplates(options) {
      const { listed: lists, unavailable } = await listed('resource', options);
      return { resourceTemplates: lists.resourceTemplates, unavailable };
    },
    async prompts(options) {
      const { listed: lists, unavailable } = await listed('prompt', options);
      return { prompts: lists.prompts, unavailable };
    },
    call: (exposedName, args = {}, options) =>
      carryOut({ method: 'tools/call', params: { name: exposedName, arguments: args } }, options),
    read: (uri, options) => carryOut({ method: 'resources/read', params: { uri } }, options),
    prompt: (exposedName, args = {}, options) =>
      carryOut({ method: 'prompts/get', params: { name: exposedName, arguments: args } }, options),
    complete: (params, options) => carryOut({ method: 'completion/complete', params }, options),
    invoke,
  };
}
