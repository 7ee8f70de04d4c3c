export { fileHandleResource, fileResource, type FileResourceOptions } from './file-resource.ts';
export { metadataToNode } from './metadata-to-node.ts';
export { createPinoLogger } from './pino-logger.ts';
export { readSkills, type ReadSkillsOptions } from './read-skills.ts';
export { createRateLimiter, type RateLimitOptions } from './rate-limiter.ts';
export { type RunningServer, serveEndpoint, serveHttp, type ServeHttpOptions } from './serve-http.ts';
export { serveEndpointStdio, serveStdio, type ServeStdioOptions, type StdioServer } from './serve-stdio.ts';
export { endpointToNode, type NodeHandler, toNode } from './to-node.ts';
export { STATE_KEYS_VARIABLE, stateKeysFromEnvironment, stateKeysFromFile } from './state-keys.ts';
