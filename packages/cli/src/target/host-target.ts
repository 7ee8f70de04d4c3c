import type { Configuration } from '@switchyard/config';
import {
  type Agent,
  type Host,
  type LeftOutEntry,
  mayOffer,
  type Operation,
  type OperationMethod,
  type OperationResults,
  openHost,
  type OpenHostOptions,
  outcomeToResult,
  type UnavailableServer,
} from '@switchyard/host';
import { didYouMean } from '../arguments/did-you-mean.ts';
import type { Listing, Target, TargetOptions } from './target.ts';
import { verdictFailure } from './verdict-failure.ts';

/** What a verb asks for by name or URI, so that only the servers that can have it are started. */
export interface Wanted {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** An exposed name, or a URI. */
  readonly subject: string;
}

/** Opens a host and answers one agent of it as a target. */
export async function openHostTarget(
  configuration: Configuration,
  agentName: string,
  wanted: Wanted | undefined,
  options: OpenHostOptions,
): Promise<Target> {
  const host = await openHost(narrow(configuration, wanted), { ...options, exactIntegers: true });
  return createHostTarget(host, host.as(agentName));
}

/**
 * Leaves out the servers that cannot have what is wanted. Where no server can have it all of them stay, so that the
 * names they do have can be suggested; and so they do where nothing is wanted by name.
 */
export function narrow(configuration: Configuration, wanted: Wanted | undefined): Configuration {
  if (wanted === undefined) return configuration;
  const entries = Object.entries(configuration.mcpServers);
  const able = entries.filter(([server]) => mayOffer(server, wanted.kind, wanted.subject));
  if (able.length === 0 || able.length === entries.length) return configuration;
  return { ...configuration, mcpServers: Object.fromEntries(able) };
}

function createHostTarget(host: Host, agent: Agent): Target {
  return {
    async tools({ signal }) {
      const { tools, unavailable } = await agent.tools({ signal });
      return listing(tools, unavailable, ['tool']);
    },
    async resources({ signal }) {
      const { resources, unavailable } = await agent.resources({ signal });
      const { resourceTemplates } = await agent.resourceTemplates({ signal });
      return listing([...resources, ...resourceTemplates], unavailable, ['resource', 'resource template']);
    },
    async prompts({ signal }) {
      const { prompts, unavailable } = await agent.prompts({ signal });
      return listing(prompts, unavailable, ['prompt']);
    },
    findTool: (name, { signal }) => agent.tool(name, { signal }),
    call: (name, args, options) =>
      invoke(name, { method: 'tools/call', params: { name, arguments: args } }, options, 'tools', async () => {
        const { tools } = await agent.tools({ signal: options.signal });
        return tools.map((tool) => tool.name);
      }),
    read: (uri, options) =>
      invoke(uri, { method: 'resources/read', params: { uri } }, options, 'resources', async () => {
        const { resources } = await agent.resources({ signal: options.signal });
        return resources.map((resource) => resource.uri);
      }),
    prompt: (name, args, options) =>
      invoke(name, { method: 'prompts/get', params: { name, arguments: args } }, options, 'prompts', async () => {
        const { prompts } = await agent.prompts({ signal: options.signal });
        return prompts.map((prompt) => prompt.name);
      }),
    accessWarnings,
    lastWords: () => [],
    close: () => host.close(),
  };

  function accessWarnings(): readonly string[] {
    return agent
      .unmatchedEntries()
      .map(({ message, suggestion }) => (suggestion === undefined ? message : `${message}; ${suggestion}`));
  }

  function listing<Definition extends { readonly server: string }>(
    definitions: readonly Definition[],
    missing: readonly UnavailableServer[],
    kinds: readonly LeftOutEntry['kind'][],
  ): Listing<Definition> {
    const leftOut = host
      .servers()
      .flatMap(({ name, leftOut: entries = [] }) =>
        entries
          .filter(({ kind }) => kinds.includes(kind))
          .map((entry) => `${name}: the ${entry.kind} ${entry.name} is left out: ${entry.reason}`),
      );
    return {
      entries: definitions.map((definition) => ({ server: definition.server, definition })),
      missing,
      warnings: [...leftOut, ...accessWarnings()],
    };
  }

  async function invoke<M extends OperationMethod>(
    asked: string,
    operation: Operation<M>,
    { onTask: _onTask, ...options }: TargetOptions,
    listVerb: 'tools' | 'resources' | 'prompts',
    listNames: () => Promise<readonly string[]>,
  ): Promise<OperationResults[M]> {
    const outcome = await agent.invoke(operation, options);
    if (outcome.kind === 'completed') return outcome.result;
    const { verdict } = outcome;
    // Wrong values are the tool's own error, as they would be where it is asked directly.
    if (verdict.reason === 'invalid-arguments') return outcomeToResult(operation, outcome);
    if (verdict.reason !== 'unknown') throw verdictFailure(verdict);
    const near = didYouMean(asked, await listNames());
    throw verdictFailure(verdict, near === '' ? ` See: switchyard ${listVerb}` : near);
  }
}
