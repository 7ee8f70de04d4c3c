export { isLoopback, type Principal, ProtocolError } from '@switchyard/protocol';
export { type ExchangedToken } from './authorization/principal-grant.ts';
export { type ProtectedResource } from './authorization/protected-resource.ts';
export {
  type InterceptedContext,
  type InterceptedRequest,
  type InterceptedResult,
  type Interceptor,
  type InterceptorReturn,
  type Next,
} from './composition/interceptor.ts';
export { type ClientCount, type ClientCounts, createClientCounts } from './dispatch/client-counts.ts';
export {
  type AppDefinition,
  type AppOrigins,
  type AppPage,
  type AppPermission,
  showsApps,
} from './apps/app-resource.ts';
export { consoleLogger } from './dispatch/console-logger.ts';
export { createServer } from './create-server.ts';
export { type Completer } from './definition/completer.ts';
export {
  type PromptArgumentDefinition,
  type PromptArguments,
  type PromptDefinition,
  type PromptHandler,
  type PromptReturn,
  type PromptValues,
} from './definition/prompt.ts';
export { promptText, type PromptValue } from './definition/prompt-text.ts';
export {
  type ResourceDefinition,
  type ResourceHandler,
  type ResourceTemplateDefinition,
  type ResourceTemplateHandler,
} from './definition/resource.ts';
export { type ResourceReturn } from './definition/resource-return.ts';
export { type ResourceSource, type ResourceStream } from './definition/resource-source.ts';
export { type Segment, segmentMetaKey, type SegmentOptions } from './definition/segments.ts';
export { type TemplateValues, type TemplateVariables, type VariableRules } from './definition/template-variables.ts';
export { type ToolArguments, type ToolDefinition, type ToolHandler, type ToolReturn } from './definition/tool.ts';
export { errorResult } from './definition/tool-result.ts';
export { type ToolUi } from './definition/tool-ui.ts';
export { ToolError } from './handler/tool-error.ts';
export { type Danger } from './definition/value-danger.ts';
export { type Accepted, type Checked, type Given, type ValueSchema } from './schema/value-schema.ts';
export { type OnceOptions } from './handler/once-options.ts';
export { type LoggedRequests } from './dispatch/endpoint.ts';
export { type AdmissionOptions } from './http/admission.ts';
export { type Authenticate, type Authenticated, type Challenge } from './authorization/authenticate.ts';
export { type HttpHead, type HttpHeaders } from './exchange/http-exchange.ts';
export type { Closable } from './http/closable.ts';
export { type EndpointHttpOptions, type HttpOptions } from './http/http-options.ts';
export { type OriginOptions } from './http/origin-policy.ts';
export {
  type CallerFacts,
  type OnSecurityEvent,
  type RefusedRequest,
  type SecurityEvent,
} from './authorization/security-event.ts';
export { type FetchHandler } from './http/endpoint-to-fetch.ts';
export { toFetch } from './to-fetch.ts';
export { type ParsingOptions } from './dispatch/incoming.ts';
export {
  type FormAnswer,
  type FormElicitation,
  formQuestion,
  type UrlAnswer,
  type UrlElicitation,
  urlQuestion,
} from './handler/elicitation.ts';
export { InputError, type InputErrorCode } from './handler/input-error.ts';
export { type InputRequired, inputRequired, type InputRequiredOptions } from './handler/input-required.ts';
export { type Question } from './handler/question.ts';
export { type Resumed } from './handler/resumed.ts';
export { rootsQuestion } from './handler/roots.ts';
export { samplingQuestion } from './handler/sampling.ts';
export { type OpenStreamOptions } from './limits/open-streams.ts';
export { type RateLimiter } from './limits/rate-limit.ts';
export { type LegacyAdapter, type LegacyChoice } from './dispatch/legacy-adapter.ts';
export { legacyClients, type LegacyOptions } from './legacy/legacy-clients.ts';
export { type LegacyLimitOptions } from './legacy/legacy-limits.ts';
export { type Logger, silentLogger } from '@switchyard/protocol';
export { type RequestContext } from './handler/request-context.ts';
export { type Server } from './server.ts';
export { type ServerInfo, type ServerOptions } from './server-options.ts';
export { type RequestStateOptions } from './state/request-state.ts';
export { type SkillDefinition } from './skills/skill.ts';
export { type SkillFrontmatter } from './skills/skill-text.ts';
export { type StateKeySource } from './state/state-keys.ts';
export { type TaskHandle, type TaskOptions, type TaskUpdate } from './handler/task-handle.ts';
export { type TasksOptions } from './tasks/tasks-options.ts';
