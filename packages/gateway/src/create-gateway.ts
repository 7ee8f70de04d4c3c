import { readFileSync } from 'node:fs';
import {
  type Agent,
  type Host,
  type Logger,
  type OperationMethod,
  type OperationParams,
  toOperation,
} from '@switchyard/host';
import { assertKnownOptions, type Implementation, type KnownOptions } from '@switchyard/protocol';
import { silentLogger } from '@switchyard/server';
import type { Endpoint, MethodHandler } from '@switchyard/server/endpoint';
import { toCallOptions } from './call-options.ts';
import { toRemote } from './remote-outcome.ts';
import { serveList } from './serve-list.ts';
import { createToolHeaders } from './tool-headers.ts';

/** How a host is made an endpoint. */
export interface GatewayOptions {
  /** The agent that every caller is. */
  readonly agent: string;
  /** Whether arguments must be repeated in headers: over HTTP only. Default true. */
  readonly mirrorsArguments?: boolean;
  /** Where requests are logged, one line each. Default: nowhere. */
  readonly logger?: Logger;
  /** What the gateway calls itself. Default: `switchyard` and its version. */
  readonly info?: Implementation;
  /** Entries on one page of a list. Default 500. */
  readonly pageSize?: number;
}

/** The members of {@link GatewayOptions}. */
export const gatewayOptions: KnownOptions<GatewayOptions> = {
  agent: true,
  mirrorsArguments: true,
  logger: true,
  info: true,
  pageSize: true,
};

const DEFAULT_PAGE_SIZE = 500;

/**
 * Makes one MCP endpoint of a host, on behalf of one agent. Its lists hold what the agent can reach, and every call
 * takes the governed path; a name out of reach answers exactly like an unknown one. Integers pass through digit for
 * digit, both ways, where the host was opened with `exactIntegers`, too. Throws HostError `unknown-agent`.
 *
 * The lists wait for servers that start. While a server is away, they are stale at once, so that its return shows.
 */
export function createGateway(host: Host, options: GatewayOptions): Endpoint {
  assertKnownOptions('createGateway', options, gatewayOptions);
  const { mirrorsArguments = true, logger = silentLogger, info = ownInfo(), pageSize = DEFAULT_PAGE_SIZE } = options;
  const agent = host.as(options.agent);
  const headers = createToolHeaders(logger);

  async function listTools(): ReturnType<Agent['tools']> {
    const listed = await agent.tools();
    return mirrorsArguments ? { ...listed, tools: headers.servable(listed.tools) } : listed;
  }

  return {
    info,
    // The lists are those of the moment, and no change is announced.
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    exactIntegers: true,
    handlers: {
      'tools/list': serveList(
        {
          method: 'tools/list',
          list: listTools,
          entriesOf: ({ tools }) => tools,
          toWire: ({ server: _server, originalName: _name, ...tool }) => tool,
        },
        pageSize,
      ),
      'resources/list': serveList(
        {
          method: 'resources/list',
          list: () => agent.resources(),
          entriesOf: ({ resources }) => resources,
          toWire: ({ server: _server, originalUri: _uri, ...resource }) => resource,
        },
        pageSize,
      ),
      'resources/templates/list': serveList(
        {
          method: 'resources/templates/list',
          list: () => agent.resourceTemplates(),
          entriesOf: ({ resourceTemplates }) => resourceTemplates,
          toWire: ({ server: _server, originalUriTemplate: _template, ...template }) => template,
        },
        pageSize,
      ),
      'prompts/list': serveList(
        {
          method: 'prompts/list',
          list: () => agent.prompts(),
          entriesOf: ({ prompts }) => prompts,
          toWire: ({ server: _server, originalName: _name, ...prompt }) => prompt,
        },
        pageSize,
      ),
      'tools/call': serveCall(agent, 'tools/call'),
      'resources/read': serveCall(agent, 'resources/read'),
      'prompts/get': serveCall(agent, 'prompts/get'),
      'completion/complete': serveCall(agent, 'completion/complete'),
    },
    ...(mirrorsArguments
      ? {
          async paramHeaders(name: string) {
            // The definition that the call itself will have: no server but the tool's own is waited for.
            const tool = await agent.tool(name);
            return tool === undefined ? undefined : headers.planOf(tool);
          },
        }
      : {}),
    logger,
    createReference: () => crypto.randomUUID(),
    now: () => performance.now(),
  };
}

function serveCall(agent: Agent, method: OperationMethod): MethodHandler {
  return async (params, context) => {
    // The endpoint has checked the shape.
    const operation = toOperation(method, params as OperationParams<OperationMethod>);
    return toRemote(operation, await agent.invoke(operation, toCallOptions(context)));
  };
}

function ownInfo(): Implementation {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return { name: 'switchyard', version };
}
