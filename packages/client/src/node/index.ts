export { type BlobSpill, type BlobSpillOptions, openBlobSpill } from './blob-spill.ts';
export { connect, type NodeConnectOptions, type NodeTarget } from './connect.ts';
export type { HeadersCommand } from './headers-command.ts';
export { headersFromCommand } from './headers-from-command.ts';
export { createFileTokenStore, type FileTokenStoreOptions } from './file-token-store.ts';
export { type LoopbackRedirect, type LoopbackRedirectOptions, openLoopbackRedirect } from './loopback-redirect.ts';
export { openBrowser, type OpenBrowserOptions } from './open-browser.ts';
export { createFileRoots, type FileRoot, type FileRootsOptions } from './file-roots.ts';
export { type NetworkOptions, openPooledFetch } from './pooled-fetch.ts';
export { type ProxyChoice } from './proxy.ts';
export type { Command } from './command.ts';
export { createStdioTransport } from './stdio-transport.ts';
export { type TlsOptions } from './tls-options.ts';
export { type StoreKey } from './store-key.ts';
export { readUnixTarget, type UnixTarget } from './unix-target.ts';
export { type CallOptions, type LogMessage, type Progress } from '../call/call-options.ts';
export { type Listed } from '../call/listed.ts';
export { type Client } from '../client.ts';
export { type ConnectOptions } from '../connect-options.ts';
export { type InputAnswer, type InputHandlers } from '../input/input-handlers.ts';
export type { ClientErrorCode } from '../peer/client-error-code.ts';
export { ClientError } from '../peer/client-error.ts';
export { type ClientWarning, type ClientWarningCode } from '../peer/client-warning.ts';
export { type HttpTarget, type Target } from '../target.ts';
export {
  type CallToolResult,
  type ContentBlock,
  type GetPromptResult,
  type JsonObject,
  type Prompt,
  ProtocolError,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  type ServerCapabilities,
  type Tool,
} from '@switchyard/protocol';
