export { connect, type NodeTarget } from './connect.ts';
export { openPooledFetch } from './pooled-fetch.ts';
export { type Command, createStdioTransport } from './stdio-transport.ts';
