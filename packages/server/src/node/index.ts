export { createPinoLogger } from './pino-logger.ts';
export { type RunningServer, serveEndpoint, serveHttp, type ServeHttpOptions } from './serve-http.ts';
export { serveEndpointStdio, serveStdio, type ServeStdioOptions, type StdioServer } from './serve-stdio.ts';
export { endpointToNode, type NodeHandler, toNode } from './to-node.ts';
