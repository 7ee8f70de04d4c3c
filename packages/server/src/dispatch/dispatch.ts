import {
  clip,
  describeMisfit,
  httpHeaders,
  isLegacyRevision,
  isModernMethod,
  isModernRevision,
  type JsonObject,
  type Logger,
  type Method,
  type MethodName,
  methodOf,
  type ModernRevision,
  modernRevisions,
  type Principal,
  ProtocolError,
  readRequestMetadata,
  type Request,
  type RequestMetadata,
  type Result,
  stringifyJson,
} from '@switchyard/protocol';

import type { Cancellation } from './cancellation.ts';
import type { ClientCounts } from './client-counts.ts';
import { assertParamHeaders, assertStandardHeaders } from './check-headers.ts';
import { createEnvelope, type Envelope } from './envelope.ts';
import type { Endpoint, MethodHandler, Serialised } from './endpoint.ts';
import { assertExtension } from './declared-extension.ts';
import { createToErrorReply, type Reply } from './error-reply.ts';
import type { LiveAsk } from '../handler/live-ask.ts';
import { MAX_OPEN_REQUEST_CHARS } from '../limits/open-streams.ts';
import { createDiscover } from './discover.ts';
import { notificationText } from './notification-text.ts';
import { hasModernMeta } from './has-modern-meta.ts';
import { isThenable } from '../timing/is-thenable.ts';
import { ServedRequest, serving } from './served-request.ts';
import { createRequestLog } from './request-log.ts';

/** What a transport knows about one request. */
export interface Inbound {
  readonly cancellation: Cancellation;
  readonly principal: Principal | undefined;
  /** Sends a notification that belongs to the request, as JSON text, and answers whether it went out. */
  send(text: string): boolean;
  /** The value of a request header by its lower-case name; absent on transports without headers. */
  readonly header?: (key: string) => string | undefined;
  /** Characters of the message, so that what cannot be too large is not measured; absent where they are not known. */
  readonly chars?: number;
  /** Asks the client while the request runs, where its revision takes requests from a server. */
  readonly live?: LiveAsk;
}

/** Answers requests of one endpoint. It never rejects. */
export type Dispatch = (request: Request, inbound: Inbound) => Promise<Reply>;

/** What a dispatcher does beyond serving. */
export interface DispatchOptions {
  /** Default: the envelope of this revision. */
  readonly envelope?: Envelope;
  /** Is told of every request whose metadata are good. */
  readonly counts?: ClientCounts | undefined;
}

/**
 * Makes the function that takes a request through every check of the protocol to its handler. The checks run in this
 * order, and the first that fails answers: metadata (-32602), standard headers (-32020), version (-32022), method
 * (-32601), the extension that it belongs to (-32021), params (-32602), for `tools/call` over HTTP `Mcp-Param-*`
 * headers (-32020), and the length of arguments and of requests that stay open (-32602). `logger` must not throw.
 *
 * Spec: basic/index#meta, basic/versioning#protocol-version-negotiation,
 * basic/transports/streamable-http#server-validation (2026-07-28).
 */
export function createDispatch(endpoint: Endpoint, logger: Logger, options: DispatchOptions = {}): Dispatch {
  const { counts, envelope = createEnvelope(endpoint) } = options;
  const discover = endpoint.handlers['server/discover'] ?? createDiscover(endpoint, () => endpoint.capabilities);
  const { maxResultChars = Infinity, maxArgumentChars = Infinity } = endpoint;
  const toErrorReply = createToErrorReply(endpoint, logger);
  const logRequest = createRequestLog(endpoint, logger);

  /** Takes a request through the checks that nothing is waited for in; answers its handler and the metadata. */
  function begin(
    request: Request,
    inbound: Inbound,
  ): { readonly handler: MethodHandler; readonly metadata: RequestMetadata } {
    const { metadata, method } = admit(request, inbound);
    counts?.add(metadata.protocolVersion as ModernRevision, metadata.clientInfo?.name);
    const params = request.params as JsonObject;
    const handler = request.method === 'server/discover' ? discover : endpoint.handlers[request.method as MethodName];
    if (handler === undefined || !isServed(endpoint, method)) throw unknownMethod(request.method);
    if (method.needsDeclaration === true) assertDeclared(method, metadata);
    const misfit = method.params(params);
    if (misfit !== undefined) throw new ProtocolError('invalidParams', describeMisfit('params', misfit));
    return { handler, metadata };
  }

  function assertLengths(request: Request, { chars = 0 }: Inbound): void {
    if (chars > maxArgumentChars) assertArguments(request.params as JsonObject, maxArgumentChars);
    if (chars > MAX_OPEN_REQUEST_CHARS && methodOf(request.method)?.staysOpen === true) throw tooLongToHold(chars);
  }

  function render(request: Request, result: Result | Serialised): string {
    const text = envelope(request, result);
    if (text.length <= maxResultChars) return text;
    throw new ProtocolError(
      'internalError',
      `The result has ${text.length} characters; at most ${maxResultChars} may be sent: ask for less at a time`,
    );
  }

  return async (request, inbound) => {
    const started = endpoint.now();
    let reply: Reply;
    let code: number | undefined;
    let context: ServedRequest | undefined;
    let sent: Result | Serialised | undefined;
    try {
      const { handler, metadata } = begin(request, inbound);
      const params = request.params as JsonObject;
      if (inbound.header !== undefined && request.method === 'tools/call' && endpoint.paramHeaders !== undefined) {
        const planned = endpoint.paramHeaders(params['name'] as string, inbound.principal);
        const plan = isThenable(planned) ? await planned : planned;
        if (plan !== undefined) assertParamHeaders(plan, params, inbound.header);
      }
      assertLengths(request, inbound);
      context = new ServedRequest(
        request.id,
        metadata,
        inbound.principal,
        inbound.cancellation,
        (name, notified) => inbound.send(notificationText(name, notified)),
        inbound.live,
      );
      const result = await handler(params, context);
      reply = { text: render(request, result), status: 200 };
      sent = result;
    } catch (thrown) {
      const { cancellation } = inbound;
      // Nobody gets the answer to a request that was cancelled, and one that ends for that reason has not failed.
      const error = cancellation.cancelled && thrown === cancellation.reason ? requestCancelled() : thrown;
      ({ code, ...reply } = toErrorReply(request, error, 'request failed'));
    }
    if (context !== undefined) serving.finish(context, sent);
    logRequest(request, inbound, reply, code, started);
    return reply;
  };
}

function admit(request: Request, inbound: Inbound): { metadata: RequestMetadata; method: Method | undefined } {
  const reading = readRequestMetadata(request.params);
  if ('problem' in reading) {
    throw isOlder(request, inbound)
      ? unsupportedVersion(request.params?.['protocolVersion'] ?? inbound.header?.(httpHeaders.protocolVersion.key))
      : new ProtocolError('invalidParams', reading.problem, { status: 400 });
  }
  const { metadata } = reading;
  const method = methodOf(request.method);
  if (inbound.header !== undefined) assertStandardHeaders(request, metadata, method, inbound.header);
  if (!isModernRevision(metadata.protocolVersion)) throw unsupportedVersion(metadata.protocolVersion);
  return { metadata, method };
}

/** Whether a request without good metadata is of an older revision, so that its client learns what is spoken here. */
function isOlder({ method, params }: Request, { header }: Inbound): boolean {
  if (hasModernMeta(params)) return false;
  return method === 'initialize' || isLegacyRevision(header?.(httpHeaders.protocolVersion.key));
}

function assertArguments({ arguments: args }: JsonObject, maxChars: number): void {
  const { length } = stringifyJson(args ?? {});
  if (length <= maxChars) return;
  throw new ProtocolError(
    'invalidParams',
    `The arguments have ${length} characters as JSON; at most ${maxChars} are taken`,
  );
}

/** Answers whether a method exists at this revision and its family is advertised, so that capabilities never lie. */
function isServed({ capabilities }: Endpoint, method: Method | undefined): method is Method {
  if (!isModernMethod(method)) return false;
  if (method.extension !== undefined) return capabilities.extensions?.[method.extension] !== undefined;
  return method.capability === undefined || capabilities[method.capability] !== undefined;
}

/** What a client declared on earlier requests does not count. Spec: extensions/overview (2026-07-28). */
function assertDeclared({ extension }: Method, { clientCapabilities }: RequestMetadata): void {
  if (extension !== undefined) assertExtension(clientCapabilities, extension);
}

function unsupportedVersion(requested: unknown): ProtocolError {
  return new ProtocolError(
    'unsupportedProtocolVersion',
    `Unsupported protocol version; this server speaks ${modernRevisions.join(', ')}`,
    { data: { supported: modernRevisions, requested: typeof requested === 'string' ? clip(requested) : '' } },
  );
}

function tooLongToHold(chars: number): ProtocolError {
  return new ProtocolError(
    'invalidParams',
    `A request that stays open has at most ${MAX_OPEN_REQUEST_CHARS} characters, not ${chars}: open several`,
  );
}

function requestCancelled(): ProtocolError {
  return new ProtocolError('internalError', 'The request was cancelled');
}

function unknownMethod(method: string): ProtocolError {
  return new ProtocolError('methodNotFound', `Method not found: ${clip(method)}`);
}
