export { fileHandleResource, fileResource, type FileResourceOptions } from './file-resource.ts';
export { metadataToNode } from './metadata-to-node.ts';
export { createPinoLogger } from './pino-logger.ts';
export { readSkills, type ReadSkillsOptions } from './read-skills.ts';
export { createRateLimiter, type RateLimitOptions } from './rate-limiter.ts';
export { type NodeHttpOptions } from './node-http-options.ts';
export {
  type ListenOptions,
  type RunningServer,
  serveEndpoint,
  type ServeEndpointOptions,
  serveHttp,
  type ServeHttpOptions,
} from './serve-http.ts';
export { serveEndpointStdio, serveStdio, type StdioServer } from './serve-stdio.ts';
export { type EndpointStdioOptions, type ServeStdioOptions } from './stdio-options.ts';
export { endpointToNode, type NodeHandler, toNode } from './to-node.ts';
export { type UnreadResponseOptions } from './unread-responses.ts';
export { STATE_KEYS_VARIABLE, stateKeysFromEnvironment, stateKeysFromFile } from './state-keys.ts';
