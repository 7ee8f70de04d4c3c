import type {
  Implementation,
  JsonObject,
  Logger,
  MethodName,
  ParamHeaders,
  Principal,
  Result,
  ServerCapabilities,
} from '@switchyard/protocol';

import type { RequestContext } from '../handler/request-context.ts';

/** A complete result whose JSON text was made before: the text of an object, without `resultType` and `serverInfo`. */
export class Serialised {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Which requests get a line in the log: all of them, or those that an operator would ask about. */
export type LoggedRequests = 'all' | 'notable';

/** Serves one method. Params have passed the method's shape. A thrown `ProtocolError` becomes the error response. */
export type MethodHandler = (
  params: JsonObject,
  context: RequestContext,
) => Result | Serialised | Promise<Result | Serialised>;

/**
 * What a dispatcher serves: the methods of one MCP endpoint. `createServer` makes one from definitions; a gateway makes
 * one over a host. A method without a handler, or of a family that `capabilities` does not advertise, is unknown
 * (-32601). Capabilities are asked for on each request and may change as a new object.
 */
export interface Endpoint {
  readonly info: Implementation;
  readonly instructions?: string;
  readonly capabilities: ServerCapabilities;
  /** `server/discover` needs none: it is then answered from the members above. */
  readonly handlers: { readonly [M in MethodName]?: MethodHandler };
  /** The `Mcp-Param-*` headers that a call of this tool must repeat over HTTP. */
  paramHeaders?(
    tool: string,
    principal: Principal | undefined,
  ): ParamHeaders | undefined | Promise<ParamHeaders | undefined>;
  /**
   * Called before the endpoint is served: rejects when it may not be served there. `isLoopback` says that only this
   * machine reaches it: no address and no allowed host is another one. After a rejection it may be called again.
   */
  prepare?(where: { readonly isLoopback: boolean }): Promise<void>;
  /**
   * Called when serving ends: requests that stay open (`subscriptions/listen`) end with their response, and tasks that
   * run here fail. Settles when that is recorded.
   */
  endStreams?(): Promise<void>;
  /** Most characters of a response as JSON; a longer one is answered with -32603. Default: any number. */
  readonly maxResultChars?: number;
  /** Most characters of `params.arguments` as JSON; longer ones are answered with -32602. Default: any number. */
  readonly maxArgumentChars?: number;
  /** Parse requests with `exactIntegers`, for an endpoint that passes payloads on. */
  readonly exactIntegers?: boolean;
  /** Which requests are logged: default `notable`, those that failed, were cancelled, or took a second. */
  readonly logRequests?: LoggedRequests;
  /** It may throw: whatever serves the endpoint goes on. */
  readonly logger: Logger;
  /** Makes the reference under which an internal error is logged and answered. */
  createReference(): string;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Milliseconds since 1970. Default: those of the runtime. */
  epochNow?(): number;
}
