import { readFileSync } from 'node:fs';
import type { Agent, Available, Host, Logger, Operation, OperationMethod } from '@switchyard/host';
import type { Implementation, JsonObject, ParamsOf } from '@switchyard/protocol';
import { type Endpoint, type MethodHandler, silentLogger } from '@switchyard/server';
import { toCallOptions } from './call-options.ts';
import { createPager, type ListForm } from './list-pages.ts';
import { toRemote } from './remote-outcome.ts';
import { createToolSorter } from './tool-headers.ts';

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

const DEFAULT_PAGE_SIZE = 500;
const TTL_MS = 60_000;

/**
 * Makes one MCP endpoint of a host, on behalf of one agent. Its lists hold what the agent can reach, and every call takes the governed path;
 * a name out of reach answers exactly like an unknown one. Integers pass through digit for digit, both ways, where the host was opened with
 * `exactIntegers`, too. Throws HostError `unknown-agent`.
 *
 * The lists wait for servers that start. While a server is away, they are stale at once, so that its return shows.
 */
export function createGateway(host: Host, options: GatewayOptions): Endpoint {
  const { mirrorsArguments = true, logger = silentLogger, info = ownInfo(), pageSize = DEFAULT_PAGE_SIZE } = options;
  const agent = host.as(options.agent);
  const sort = createToolSorter(logger);
  let headers: ReturnType<typeof sort>['headers'] = new Map();

  async function listTools(): ReturnType<Agent['tools']> {
    const listed = await agent.tools();
    if (!mirrorsArguments) return listed;
    const sorted = sort(listed.tools);
    headers = sorted.headers;
    return { ...listed, tools: sorted.tools };
  }

  return {
    info,
    // The lists are those of the moment, and no change is announced.
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    exactIntegers: true,
    handlers: {
      'tools/list': serveList(toolForm, pageSize, listTools, ({ tools }) => tools),
      'resources/list': serveList(
        resourceForm,
        pageSize,
        () => agent.resources(),
        ({ resources }) => resources,
      ),
      'resources/templates/list': serveList(
        templateForm,
        pageSize,
        () => agent.resourceTemplates(),
        ({ resourceTemplates }) => resourceTemplates,
      ),
      'prompts/list': serveList(
        promptForm,
        pageSize,
        () => agent.prompts(),
        ({ prompts }) => prompts,
      ),
      'tools/call': serveCall(agent, (params) => {
        const { name, arguments: args = {} } = params as ParamsOf<'tools/call'>;
        return { method: 'tools/call', params: { name, arguments: args } };
      }),
      'resources/read': serveCall(agent, (params) => {
        const { uri } = params as ParamsOf<'resources/read'>;
        return { method: 'resources/read', params: { uri } };
      }),
      'prompts/get': serveCall(agent, (params) => {
        const { name, arguments: args = {} } = params as ParamsOf<'prompts/get'>;
        return { method: 'prompts/get', params: { name, arguments: args } };
      }),
      'completion/complete': serveCall(agent, (params) => {
        const { ref, argument, context } = params as ParamsOf<'completion/complete'>;
        return {
          method: 'completion/complete',
          params: { ref, argument, ...(context === undefined ? {} : { context }) },
        };
      }),
    },
    ...(mirrorsArguments
      ? {
          // A client knows a tool from a list that was served here, so a tool without a plan is one that nobody listed yet.
          async paramHeaders(tool: string) {
            if (!headers.has(tool)) await listTools();
            return headers.get(tool);
          },
        }
      : {}),
    logger,
    createReference: () => crypto.randomUUID(),
    now: () => performance.now(),
  };
}

function serveList<L extends Available, T>(
  form: ListForm<T>,
  pageSize: number,
  list: () => Promise<L>,
  entriesOf: (listed: L) => readonly T[],
): MethodHandler {
  const page = createPager(form, pageSize);
  return async ({ cursor }) => {
    const listed = await list();
    const ttlMs = listed.unavailable.length > 0 ? 0 : TTL_MS;
    return page(entriesOf(listed), { cursor: cursor as string | undefined, ttlMs });
  };
}

function serveCall<M extends OperationMethod>(
  agent: Agent,
  toOperation: (params: JsonObject) => Operation<M>,
): MethodHandler {
  return async (params, context) => {
    const operation = toOperation(params);
    return toRemote(operation, await agent.invoke(operation, toCallOptions(context)));
  };
}

const toolForm: ListForm<Awaited<ReturnType<Agent['tools']>>['tools'][number]> = {
  member: 'tools',
  keyOf: ({ name }) => name,
  toWire: ({ server: _server, originalName: _name, ...tool }) => tool,
};

const resourceForm: ListForm<Awaited<ReturnType<Agent['resources']>>['resources'][number]> = {
  member: 'resources',
  keyOf: ({ uri }) => uri,
  toWire: ({ server: _server, originalUri: _uri, ...resource }) => resource,
};

const templateForm: ListForm<Awaited<ReturnType<Agent['resourceTemplates']>>['resourceTemplates'][number]> = {
  member: 'resourceTemplates',
  keyOf: ({ uriTemplate }) => uriTemplate,
  toWire: ({ server: _server, originalUriTemplate: _template, ...template }) => template,
};

const promptForm: ListForm<Awaited<ReturnType<Agent['prompts']>>['prompts'][number]> = {
  member: 'prompts',
  keyOf: ({ name }) => name,
  toWire: ({ server: _server, originalName: _name, ...prompt }) => prompt,
};

function ownInfo(): Implementation {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return { name: 'switchyard', version };
}
