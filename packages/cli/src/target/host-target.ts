import type { Configuration } from '@switchyard/config';
import {
  type Agent,
  exposedServerName,
  type Host,
  type Operation,
  type OperationMethod,
  type OperationResults,
  openHost,
  type OpenHostOptions,
  present,
} from '@switchyard/host';
import { didYouMean } from '../arguments/nearest-names.ts';
import type { Target, TargetOptions, ToolListing } from './target.ts';
import { verdictFailure } from './verdict-failure.ts';

/** What a verb wants of the host, so that only the servers that can have it are started. */
export type Wanted =
  | { readonly kind: 'everything' }
  /** A tool or prompt by its exposed name. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'resource'; readonly uri: string };

/** Opens a host and answers one agent of it as a target. */
export async function openHostTarget(
  configuration: Configuration,
  agentName: string,
  wanted: Wanted,
  options: OpenHostOptions,
): Promise<Target> {
  const host = await openHost(narrow(configuration, wanted), { ...options, exactIntegers: true });
  return createHostTarget(host, host.as(agentName));
}

/**
 * Leaves out the servers that cannot have what is wanted. An exposed name begins with that of its server, and with no other's. Where no
 * server can have the name all of them stay, so that the names they do have can be suggested.
 */
export function narrow(configuration: Configuration, wanted: Wanted): Configuration {
  const entries = Object.entries(configuration.mcpServers);
  const able = entries.filter(([server]) => mayHave(exposedServerName(server), wanted));
  if (able.length === 0 || able.length === entries.length) return configuration;
  return { ...configuration, mcpServers: Object.fromEntries(able) };
}

function mayHave(exposedServer: string, wanted: Wanted): boolean {
  if (wanted.kind === 'everything') return true;
  if (wanted.kind === 'name') return wanted.name.startsWith(`${exposedServer}__`);
  return !wanted.uri.startsWith('mcp://') || wanted.uri.startsWith(`mcp://${exposedServer}/`);
}

function createHostTarget(host: Host, agent: Agent): Target {
  return {
    async tools({ signal }): Promise<ToolListing> {
      const { tools, unavailable } = await agent.tools({ signal });
      return {
        tools: tools.map((tool) => ({ server: tool.server, definition: tool })),
        missing: unavailable,
        leftOut: host
          .servers()
          .flatMap(({ name, leftOut = [] }) =>
            leftOut.map((entry) => `${name}: the ${entry.kind} ${entry.name} is left out: ${entry.reason}`),
          ),
      };
    },
    async findTool(name, { signal }) {
      const { tools } = await agent.tools({ signal });
      return tools.find((tool) => tool.name === name);
    },
    call: (name, args, options) =>
      invoke(name, { method: 'tools/call', params: { name, arguments: args } }, options, async () => {
        const { tools } = await agent.tools({ signal: options.signal });
        return tools.map((tool) => tool.name);
      }),
    read: (uri, options) =>
      invoke(uri, { method: 'resources/read', params: { uri } }, options, async () => {
        const { resources } = await agent.resources({ signal: options.signal });
        return resources.map((resource) => resource.uri);
      }),
    prompt: (name, args, options) =>
      invoke(name, { method: 'prompts/get', params: { name, arguments: args } }, options, async () => {
        const { prompts } = await agent.prompts({ signal: options.signal });
        return prompts.map((prompt) => prompt.name);
      }),
    close: () => host.close(),
  };

  async function invoke<M extends OperationMethod>(
    asked: string,
    operation: Operation<M>,
    options: TargetOptions,
    listNames: () => Promise<readonly string[]>,
  ): Promise<OperationResults[M]> {
    const outcome = await agent.invoke(operation, options);
    if (outcome.kind === 'completed') return outcome.result;
    const { verdict } = outcome;
    // Wrong values are the tool's own error, as they would be where it is asked directly.
    if (verdict.reason === 'invalid-arguments') return present(operation, outcome);
    if (verdict.reason !== 'unknown') throw verdictFailure(verdict);
    throw verdictFailure(verdict, didYouMean(asked, await listNames()));
  }
}
