export { type CallOptions, type LogMessage, type Progress } from './call/call-options.ts';
export type { LeftOut } from './left-out.ts';
export { type Client, type Listed } from './client.ts';
export { ClientError, type ClientErrorCode, type ClientErrorDetails } from './client-error.ts';
export { type ClientWarning, type ClientWarningCode } from './client-warning.ts';
export { type Clock, systemClock } from './clock.ts';
export { connect, type ConnectOptions, type Target } from './connect.ts';
export {
  type Connection,
  type HeaderFields,
  type OpenOptions,
  type PeerHandlers,
  type Reply,
  type RequestOptions,
  type Transport,
} from './connection.ts';
export { untilAborted, withAnySignal, within } from './deadline.ts';
export {
  createDuplexConnection,
  type DuplexConnection,
  type DuplexConnectionOptions,
} from './duplex/duplex-connection.ts';
export {
  type Fetch,
  type FetchBody,
  type FetchBodyReader,
  type FetchInit,
  type FetchPool,
  type FetchResponse,
} from './http/fetch.ts';
export { createHttpTransport, type HttpTransportOptions } from './http/http-transport.ts';
export { type CredentialedRequest, type HttpCredentials, type Refusal } from './http/credentials.ts';
export { isResourceNotFound } from './is-resource-not-found.ts';
export { createMask } from './mask-secrets.ts';
export { createMemoryTransport } from './memory/memory-transport.ts';
export { type PeerContext } from './peer-context.ts';
