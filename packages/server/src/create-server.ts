import {
  type CacheHints,
  createSafeLogger,
  type Exchange,
  type Implementation,
  type Logger,
  type Responder,
  silentLogger,
} from '@switchyard/protocol';

import { type Catalog, createCatalog, type Definitions } from './catalog.ts';
import { listCacheHints, toCacheHints } from './definition/cache-hints.ts';
import { compilePrompt, type PromptArguments, type PromptDefinition, type PromptHandler } from './definition/prompt.ts';
import {
  compileResource,
  compileResourceTemplate,
  type ResourceDefinition,
  type ResourceHandler,
  type ResourceTemplateDefinition,
  type ResourceTemplateHandler,
} from './definition/resource.ts';
import { compileTool, type ToolDefinition, type ToolHandler } from './definition/tool.ts';
import { errorResult } from './definition/tool-result.ts';
import type { ValueSchema } from './definition/value-schema.ts';
import type { Endpoint } from './endpoint.ts';
import { safeReference } from './error-reply.ts';
import { complete } from './methods/completion.ts';
import { getPrompt } from './methods/prompts.ts';
import { readResource } from './methods/resources.ts';
import { callTool, type ToolFailed } from './methods/tools.ts';
import { createResponder } from './responder.ts';

/** Who a server says it is, and what it tells every client. */
export interface ServerInfo extends Implementation {
  /** Guidance for whoever uses the server; no repetition of tool descriptions. */
  readonly instructions?: string;
}

/** Options of {@link createServer}. */
export interface ServerOptions {
  /** Where requests and failures are logged. Default: nowhere in memory, pino on stderr when served by Node. */
  readonly logger?: Logger;
  /** Freshness of the lists: default 60,000 ms and `private`. */
  readonly cache?: Partial<CacheHints>;
  /** Entries on one page of a list: default 500. */
  readonly pageSize?: number;
  /** Makes the reference of an internal error. Default: random. */
  readonly createReference?: () => string;
  /** Milliseconds of a monotonic clock. Default: `performance.now`. */
  readonly now?: () => number;
}

/** An MCP server: definitions, and the endpoint that serves them. Served by `serveHttp`, `serveStdio`, `toNode`, `toFetch`. */
export interface Server extends Responder {
  /**
   * Defines a tool. Argument and result types follow from `input` and `output`.
   *
   * Spec: server/tools (2026-07-28).
   *
   * @throws TypeError when the name is taken, or the name or a schema breaks a rule of the protocol.
   */
  tool<I extends ValueSchema | undefined = undefined, O extends ValueSchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<I, O>,
    handler: ToolHandler<I, O>,
  ): Server;
  /** Defines a resource under a fixed URI. Spec: server/resources (2026-07-28). */
  resource(uri: string, definition: ResourceDefinition, handler: ResourceHandler): Server;
  /** Defines a family of resources under an RFC 6570 template. Spec: server/resources#resource-templates (2026-07-28). */
  resourceTemplate(
    uriTemplate: string,
    definition: ResourceTemplateDefinition,
    handler: ResourceTemplateHandler,
  ): Server;
  /** Defines a prompt. Spec: server/prompts (2026-07-28). */
  prompt<const A extends PromptArguments = Record<never, never>>(
    name: string,
    definition: PromptDefinition<A>,
    handler: PromptHandler<A>,
  ): Server;
  /** What a transport serves; `logger` is used unless the server has its own. */
  endpoint(logger?: Logger): Endpoint;
}

/**
 * Creates an MCP server. It holds no connection and no session: the same server may be served over several transports at once.
 * Definitions are compiled when they are made and the lists are serialised on first use.
 *
 * @throws TypeError when `pageSize` or `cache` is out of range.
 */
export function createServer(info: ServerInfo, options: ServerOptions = {}): Server {
  const { instructions, ...implementation } = info;
  const definitions: Definitions = {
    info: implementation,
    tools: new Map(),
    resources: new Map(),
    templates: new Map(),
    prompts: new Map(),
  };
  const hints = toCacheHints(options.cache, listCacheHints);
  const { pageSize = 500 } = options;
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw new TypeError(`pageSize must be an integer of at least 1, not ${pageSize}`);
  let snapshot: Catalog | undefined;
  const catalog = (): Catalog => (snapshot ??= createCatalog(definitions, hints, pageSize));

  function define<T>(kind: string, entries: Map<string, T>, key: string, entry: T): Server {
    if (entries.has(key)) throw new TypeError(`the server ${info.name} already has the ${kind} ${JSON.stringify(key)}`);
    entries.set(key, entry);
    snapshot = undefined;
    return server;
  }

  const server: Server = {
    tool: (name, definition, handler) =>
      define('tool', definitions.tools, name, compileTool(name, definition, handler)),
    resource: (uri, definition, handler) =>
      define('resource', definitions.resources, uri, compileResource(uri, definition, handler)),
    resourceTemplate: (uriTemplate, definition, handler) =>
      define(
        'resource template',
        definitions.templates,
        uriTemplate,
        compileResourceTemplate(uriTemplate, definition, handler),
      ),
    prompt: (name, definition, handler) =>
      define('prompt', definitions.prompts, name, compilePrompt(name, definition, handler)),
    endpoint: (logger) => createEndpoint(implementation, instructions, options, logger, catalog),
    respond: (text: string, exchange: Exchange) => respond(text, exchange),
  };
  const respond = lazily(() => createResponder(server.endpoint()));
  return server;
}

function lazily(create: () => Responder): Responder['respond'] {
  let responder: Responder | undefined;
  return (text, exchange) => (responder ??= create()).respond(text, exchange);
}

function createEndpoint(
  info: Implementation,
  instructions: string | undefined,
  options: ServerOptions,
  fallbackLogger: Logger | undefined,
  catalog: () => Catalog,
): Endpoint {
  const logger = options.logger ?? fallbackLogger ?? silentLogger;
  const safeLogger = createSafeLogger(logger);
  const createReference = options.createReference ?? (() => crypto.randomUUID());
  const failed: ToolFailed = (tool, cause) => {
    const reference = safeReference(createReference);
    safeLogger.error({ reference, method: 'tools/call', name: tool, err: cause }, 'tool failed');
    return errorResult(`The tool ${tool} failed (reference ${reference})`);
  };
  return {
    info,
    ...(instructions === undefined ? {} : { instructions }),
    get capabilities() {
      return catalog().capabilities;
    },
    handlers: {
      'tools/list': ({ cursor }) => catalog().pages.tools.page(cursor as string | undefined),
      'tools/call': (params, context) => callTool(catalog(), params, context, failed),
      'resources/list': ({ cursor }) => catalog().pages.resources.page(cursor as string | undefined),
      'resources/templates/list': ({ cursor }) => catalog().pages.templates.page(cursor as string | undefined),
      'resources/read': (params, context) => readResource(catalog(), params, context),
      'prompts/list': ({ cursor }) => catalog().pages.prompts.page(cursor as string | undefined),
      'prompts/get': (params, context) => getPrompt(catalog(), params, context),
      'completion/complete': (params, context) => complete(catalog(), params, context),
    },
    paramHeaders: (tool) => catalog().tools.get(tool)?.headers,
    logger,
    createReference,
    now: options.now ?? (() => performance.now()),
  };
}
