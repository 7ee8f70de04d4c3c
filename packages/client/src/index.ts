export { type Challenge, parameterOf, parseChallenges } from './http/parse-challenges.ts';
export { type CallOptions, type LogMessage, type Progress } from './call/call-options.ts';
export { type AskingMethod, asksForInput } from './call/request-round.ts';
export type { LeftOut } from './peer/left-out.ts';
export { type Client } from './client.ts';
export { type Listed } from './call/listed.ts';
export { ClientError, type ClientErrorCode, type ClientErrorDetails } from './peer/client-error.ts';
export { type ClientWarning, type ClientWarningCode } from './peer/client-warning.ts';
export { type Clock, systemClock } from './peer/clock.ts';
export { type Freshness } from './call/freshness.ts';
export { type CachedRequest, type CachePrincipal } from './cache/cached-request.ts';
export type { CachedEntry } from './cache/cached-entry.ts';
export {
  type CacheTicket,
  createResponseCache,
  type KeptAnswer,
  type ResponseCache,
  type ResponseCacheOptions,
} from './cache/response-cache.ts';
export { type ListName } from './subscriptions/change-feed.ts';
export {
  type ResourceChange,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionEnd,
} from './subscriptions/subscription.ts';
export { connect, type ConnectOptions, type HttpTarget, type Target } from './connect.ts';
export {
  type Connection,
  type HeaderFields,
  type OpenOptions,
  type PeerHandlers,
  type Reply,
  type RequestOptions,
  type Transport,
} from './message/connection.ts';
export { untilAborted, withAnySignal, within } from './timing/deadline.ts';
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
export { createHttpTransport } from './http/http-transport.ts';
export { type HttpTransportOptions } from './http/http-options.ts';
export { type CredentialedRequest, type Hold, type HttpCredentials, type Refusal } from './http/credentials.ts';
export { createRestartPolicy, type Life, type RestartOptions, type RestartPolicy } from './negotiate/restart-policy.ts';
export { type HeaderSource } from './http/header-credentials.ts';
export { createSseTransport } from './http/sse-transport.ts';
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
export {
  type InputAnswerer,
  type InputOrigin,
  type InputRequests,
  type InputResponses,
} from './input/input-answerer.ts';
export { type InputAnswer, type InputHandlers, type RootsSource } from './input/input-handlers.ts';
export { type UrlConcern } from './input/inspect-url.ts';
export { createVerdictCache, type EraVerdict, type VerdictCache } from './negotiate/era-verdict.ts';
export { isResourceNotFound } from './is-resource-not-found.ts';
export { findDisagreement } from './trust/agreement.ts';
export { type CheckOptions, type Reaction } from './trust/check-options.ts';
export { type ResultSpill, type SpilledContent } from './trust/result-size.ts';
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
