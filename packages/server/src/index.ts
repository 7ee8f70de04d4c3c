export { type Principal, ProtocolError } from '@switchyard/protocol';
export { createServer, type Server, type ServerInfo, type ServerOptions } from './create-server.ts';
export { listCacheHints } from './definition/cache-hints.ts';
export { type Completer } from './definition/completer.ts';
export {
  type PromptArgumentDefinition,
  type PromptArguments,
  type PromptDefinition,
  type PromptHandler,
  type PromptReturn,
  type PromptValues,
} from './definition/prompt.ts';
export {
  type ResourceDefinition,
  type ResourceHandler,
  type ResourceReturn,
  type ResourceTemplateDefinition,
  type ResourceTemplateHandler,
  type TemplateVariables,
} from './definition/resource.ts';
export { type ToolArguments, type ToolDefinition, type ToolHandler, type ToolReturn } from './definition/tool.ts';
export { errorResult, ToolError } from './definition/tool-result.ts';
export { type Accepted, type Given, type ValueSchema } from './definition/value-schema.ts';
export { type Endpoint, type MethodHandler, Serialised } from './endpoint.ts';
export { type HttpExchange, type HttpHead, type HttpHeaders, type HttpStream } from './http/http-exchange.ts';
export { createHttpHandler, type HttpHandler, type HttpOptions } from './http/http-handler.ts';
export { isLoopback } from './http/loopback.ts';
export { type OriginOptions } from './http/origin-policy.ts';
export { endpointToFetch, type FetchHandler, toFetch } from './http/to-fetch.ts';
export { createListPages, type ListEntry, type ListMember, type ListPages } from './list-pages.ts';
export { type Logger, silentLogger } from '@switchyard/protocol';
export { type RequestContext } from './request-context.ts';
export { createResponder } from './responder.ts';
