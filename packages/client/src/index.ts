export { type Challenge, parameterOf, parseChallenges } from './http/parse-challenges.ts';
export { type CallOptions, type LogMessage, type Progress } from './call/call-options.ts';
export { asksForInput } from './call/request-round.ts';
export type { LeftOut } from './peer/left-out.ts';
export { type Client } from './client.ts';
export { type ClientReads } from './cache/client-reads.ts';
export { type Listed } from './call/listed.ts';
export type { ClientErrorCode } from './peer/client-error-code.ts';
export { ClientError, type ClientErrorDetails } from './peer/client-error.ts';
export { type ClientWarning, type ClientWarningCode } from './peer/client-warning.ts';
export { type Clock, systemClock } from './peer/clock.ts';
export { type Freshness } from './call/freshness.ts';
export { createResponseCache, type ResponseCache, type ResponseCacheOptions } from './cache/response-cache.ts';
export { type ListName } from './subscriptions/change-feed.ts';
export {
  type ResourceChange,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionEnd,
} from './subscriptions/subscription.ts';
export { connect } from './connect.ts';
export {
  type CachingOptions,
  type ConnectOptions,
  type FeatureOptions,
  type HttpOptions,
  type MessageLimits,
  type NoticeOptions,
  type PlatformOptions,
  type StartOptions,
  type TimeLimits,
} from './connect-options.ts';
export { type HttpTarget, type Target } from './target.ts';
export {
  type Connection,
  type HeaderFields,
  type OpenOptions,
  type PeerHandlers,
  type Principal,
  type Reply,
  type RequestOptions,
  type Transport,
} from './message/connection.ts';
export { untilAborted } from './timing/until-aborted.ts';
export { within } from './timing/within.ts';
export {
  createDuplexConnection,
  type DuplexConnection,
  type DuplexConnectionOptions,
} from './duplex/duplex-connection.ts';
export { createStreamConnection, type StreamConnectionOptions } from './duplex/stream-connection.ts';
export {
  type Fetch,
  type FetchBody,
  type FetchBodyReader,
  type FetchInit,
  type FetchPool,
  type FetchResponse,
} from './http/fetch.ts';
export { NeverSentError } from './http/never-sent.ts';
export { type ConnectionFailure, connectionFailure } from './http/connection-failure.ts';
export { createHttpTransport } from './http/http-transport.ts';
export { type HttpTransportOptions } from './http/http-options.ts';
export { type CredentialedRequest, type HttpCredentials, type Refusal } from './http/credentials.ts';
export { type Hold } from './timing/hold.ts';
export { createRestartPolicy, type RestartOptions, type RestartPolicy } from './negotiate/restart-policy.ts';
export { type GivenHeaders } from './http/endpoint.ts';
export { type HeaderSource } from './http/header-credentials.ts';
export type { FormContent } from './input/form-content.ts';
export {
  type Ask,
  type Declined,
  type FormAccepted,
  type FormAsk,
  type Interrupted,
  type RootsAsk,
  type SampleAsk,
  type UrlAccepted,
  type UrlAsk,
} from './input/ask.ts';
export { type AvailableModel, chooseModel } from './input/choose-model.ts';
export { type FieldOption, type FormField } from './input/form-fields.ts';
export { type InputAnswer, type InputHandlers, type RootsSource } from './input/input-handlers.ts';
export { type UrlConcern } from './input/inspect-url.ts';
export { createVerdictCache, type EraVerdict, type VerdictCache } from './negotiate/era-verdict.ts';
export { isResourceNotFound } from './is-resource-not-found.ts';
export { findDisagreement } from './trust/agreement.ts';
export { type CheckOptions, type Reaction } from './trust/check-options.ts';
export { type ResultSize, type ResultSpill, type SpilledContent } from './trust/result-size.ts';
export { safePlace } from './trust/safe-place.ts';
export { findUncheckedPatterns } from './trust/unchecked-patterns.ts';
export { whyUnsafeUrl } from './trust/unsafe-url.ts';
export { createMask } from './peer/mask-secrets.ts';
export { createMemoryTransport } from './memory/memory-transport.ts';
export { type PeerContext } from './peer/peer-context.ts';
export { type CheckedIcon } from './icons/check-icon.ts';
export { displayName } from './display-name.ts';
export { type FetchIconOptions } from './icons/fetch-icon.ts';
export { type IconsOptions } from './icons/icon-rules.ts';
export { type ImageType } from './icons/image-format.ts';
export { type ImageSize } from './icons/image-size.ts';
export { type LoadedSkill } from './skills/client-skills.ts';
export { type SkillFile } from './skills/skill-file.ts';
export { type SkillsOptions } from './skills/skills-options.ts';
export { type StartedCall } from './tasks/client-tasks.ts';
export { type TaskHandle } from './tasks/task-handle.ts';
export { type SeenTask } from './tasks/task-state.ts';
export { type TaskCall, type TaskOptions, type TasksOptions } from './tasks/tasks-options.ts';
export {
  type AskingMethod,
  type CallToolResult,
  type ClientCapabilities,
  type CompleteResult,
  type ContentBlock,
  type DiscoverResult,
  errorCodes,
  type GetPromptResult,
  type Icon,
  type Implementation,
  type InputRequiredResult,
  type JsonObject,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ListToolsResult,
  type LoggingLevel,
  type Notification,
  type Prompt,
  type PromptMessage,
  ProtocolError,
  type ReadResourceResult,
  type Resource,
  type ResourceContents,
  type ResourceTemplate,
  type ResultOf,
  type Revision,
  type Root,
  type ServerCapabilities,
  type Skill,
  type SubscriptionFilter,
  type Tool,
  type ToolAnnotations,
} from '@switchyard/protocol';
