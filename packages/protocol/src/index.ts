export { assertHandler, assertObject, assertText } from './assert-argument.ts';
export { assertKnownOptions, type KnownOptions } from './assert-known-options.ts';
export { decodeBase64, encodeBase64, isBase64 } from './base64.ts';
export { type ChangingList, changingListNames, changingLists } from './changing-lists.ts';
export { clip } from './clip.ts';
export { type Cursor, decodeCursor, encodeCursor } from './cursor.ts';
export { type DeprecatedFeature, deprecatedFeatures } from './deprecated.ts';
export {
  errorCodes,
  type ErrorName,
  legacyResourceNotFound,
  legacyUrlElicitationRequired,
  modernErrorCodes,
} from './error-code.ts';
export { type ExtensionId, extensions } from './extensions.ts';
export { decodeHeaderValue, encodeHeaderValue, HeaderValueError, stripOptionalWhitespace } from './header-value.ts';
export { isLoopback, isLoopbackUrl } from './is-loopback.ts';
export { isTextDeeperThan, isValueDeeperThan, MAX_MESSAGE_DEPTH } from './json-depth.ts';
export { holdsBigint, parseJson, roundIntegers, stringifyJson } from './json-text.ts';
export { parseJsonObject } from './parse-json-object.ts';
export { createSafeLogger, type Logger, silentLogger } from './logger.ts';
export { InFlight } from './in-flight.ts';
export {
  isMessageId,
  parseMessage,
  type ErrorResponse,
  type Message,
  type MessageId,
  type Notification,
  type ParsedMessage,
  type Request,
  type Response,
  type ResultResponse,
} from './message.ts';
export { createLineDecoder, type LineDecoder, type LineDecoderOptions } from './line-decoder.ts';
export { httpHeaders, type HttpHeader, paramHeaderPrefix } from './http-headers.ts';
export { isExtensionIdentifier, isMetaKey, isReservedMetaKey, metaKeys } from './meta-key.ts';
export { type MetadataReading, readRequestMetadata, type RequestMetadata, requestMetaKeys } from './metadata.ts';
export { nearestName } from './nearest-name.ts';
export { present } from './present.ts';
export {
  type AskingMethod,
  isModernMethod,
  type ListMethodName,
  type ListShape,
  type Method,
  type MethodName,
  methodOf,
  methods,
  type ModernMethodName,
  type ParamsOf,
  type ResultOf,
} from './methods.ts';
export {
  type ClientCapabilities,
  type ClientCapability,
  clientCapabilities,
  type ServerCapabilities,
  type ServerCapability,
  serverCapabilities,
} from './model/capabilities.ts';
export {
  annotations,
  type Annotations,
  type AudioContent,
  type BlobResourceContents,
  contentBlock,
  type ContentBlock,
  type EmbeddedResource,
  type ImageContent,
  type ResourceContents,
  resourceContents,
  type ResourceLink,
  role,
  type Role,
  type TextContent,
  type TextResourceContents,
} from './model/content.ts';
export { icon, type Icon, implementation, type Implementation } from './model/implementation.ts';
export { type ElicitFormParams, type ElicitResult, type ElicitUrlParams } from './model/elicitation.ts';
export {
  type InputKind,
  inputKinds,
  type InputMethod,
  inputRequest,
  type InputRequest,
  type InputRequiredResult,
  inputRequiredResult,
} from './model/input-request.ts';
export { type LoggingLevel, loggingLevel, loggingLevels, passesLevel } from './model/logging.ts';
export {
  prompt,
  type Prompt,
  promptArgument,
  type PromptArgument,
  promptMessage,
  type PromptMessage,
} from './model/prompt.ts';
export { resource, type Resource, resourceTemplate, type ResourceTemplate } from './model/resource.ts';
export {
  type CacheHints,
  cacheScope,
  type CacheScope,
  type CallToolResult,
  type CompleteResult,
  type Completion,
  type DiscoverResult,
  type GetPromptResult,
  type GetSkillResult,
  type GetTaskResult,
  type InitializeResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ListSkillsResult,
  type ListToolsResult,
  type ReadDirectoryResult,
  type ReadResourceResult,
  type Result,
} from './model/result.ts';
export { type ListRootsResult, type Root } from './model/root.ts';
export {
  createMessageParams,
  type CreateMessageParams,
  type CreateMessageResult,
  type SamplingContent,
  type SamplingMessage,
  type ToolResultContent,
  type ToolUseContent,
} from './model/sampling.ts';
export { skill, type Skill, skillResource, type SkillResource } from './model/skill.ts';
export { type SubscriptionFilter } from './model/subscription-filter.ts';
export {
  createTaskResult,
  type CreateTaskResult,
  detailedTask,
  type DetailedTask,
  task,
  type Task,
  type TaskStatus,
  taskStatuses,
} from './model/task.ts';
export { tool, type Tool, toolAnnotations, type ToolAnnotations } from './model/tool.ts';
export {
  type NotificationKind,
  type NotificationName,
  type NotificationParamsOf,
  notifications,
  saysListChanged,
} from './notifications.ts';
export { MAX_TIMER_MS, toBound, toLimit, toMilliseconds } from './numeric-option.ts';
export { checkParamHeaders, mintParamHeaders } from './param-headers/param-header-values.ts';
export {
  type ParamHeader,
  type ParamHeaderPlan,
  type ParamHeaders,
  planParamHeaders,
} from './param-headers/plan-param-headers.ts';
export { type ErrorBody, ProtocolError } from './protocol-error.ts';
export type { Exchange, Principal, Responder } from './responder.ts';
export {
  acceptsBatches,
  everyRevision,
  isAtLeast,
  isLegacyRevision,
  isModernRevision,
  latestRevision,
  type LegacyRevision,
  legacyRevisions,
  type ModernRevision,
  modernRevisions,
  type Revision,
  sendsVersionHeader,
} from './revision.ts';
export { describeMisfit, isJsonObject, type JsonObject, type Misfit, type Shape, type Shaped } from './shape.ts';
export { traceForms } from './trace-context.ts';
export { compareTemplates, parseUriTemplate, type UriTemplate, type UriTemplateOptions } from './uri-template.ts';
export { UriTemplateError } from './uri-template/parts.ts';
