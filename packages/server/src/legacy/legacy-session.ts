import {
  clip,
  describeMisfit,
  type ErrorName,
  InFlight,
  isMessageId,
  type JsonObject,
  latestRevision,
  type LoggingLevel,
  type MessageId,
  type Method,
  methodOf,
  type Notification,
  notifications,
  type ParamsOf,
  type Principal,
  ProtocolError,
  type Request,
  type Response,
  stringifyJson,
  type SubscriptionFilter,
} from '@switchyard/protocol';

import { holdsScopes } from '../authorization/assert-scopes.ts';
import { Cancellation } from '../dispatch/cancellation.ts';
import { cancelledByClient } from '../dispatch/cancelled-by-client.ts';
import { errorText, type Reply } from '../dispatch/error-reply.ts';
import type { Incoming } from '../dispatch/incoming.ts';
import { notificationText } from '../dispatch/notification-text.ts';
import { listFilterOf } from '../subscriptions/list-filter.ts';
import { type Asks, createAsks } from './asks.ts';
import type { ClientFacts } from './client-facts.ts';
import { toLegacyError } from './legacy-error.ts';
import { toModernRequest, withoutNulls } from './legacy-request.ts';
import type { LegacyShared } from './legacy-shared.ts';
import type { Outlet } from './outlet.ts';
import { waitWhileAsking } from './waiting-requests.ts';
import { createWatch, type Watch } from './watch.ts';

/** Who sends a request, and where what belongs to it goes. */
export interface LegacyCall {
  readonly principal: Principal | undefined;
  readonly outlet: Outlet;
  /** Characters of the message. */
  readonly chars: number;
}

const UNWATCHED = 'The server cannot watch the resource now: subscribe again later';
const UNWATCHABLE = 'The caller may not watch the resource, or its URI is none';

/** What a client that sets no level gets. The specification leaves it to the server. */
const DEFAULT_LOG_LEVEL: LoggingLevel = 'info';

/**
 * A conversation with one old client: what `initialize` settled, and what lasts between its requests. Each request is
 * served as one of this revision; handlers cannot tell.
 *
 * Spec: 2025-11-25/basic/lifecycle.
 */
export class LegacySession {
  readonly facts: ClientFacts;
  readonly #shared: LegacyShared;
  readonly #asks: Asks;
  readonly #watchLists: Watch;
  readonly #watchResources: Watch;
  readonly #ready = Promise.withResolvers<void>();
  readonly #running = new InFlight<Cancellation>();
  readonly #subscribed = new Set<string>();
  #principal: Principal | undefined;
  #isReady = false;
  #subscribedChars = 0;
  #logLevel = DEFAULT_LOG_LEVEL;
  #hasEnded = false;

  /**
   * `standalone` takes what belongs to no request. `onServerEnds` is called when the server ends what the client
   * listens to, as it does when it closes.
   */
  constructor(
    shared: LegacyShared,
    facts: ClientFacts,
    principal: Principal | undefined,
    standalone: Outlet,
    onServerEnds: () => void,
  ) {
    this.facts = facts;
    this.#principal = principal;
    this.#shared = shared;
    const { endpoint, logger, limits, createId } = shared;
    this.#asks = createAsks({
      revision: facts.revision,
      timeoutMs: limits.askTimeoutMs,
      logger,
      ready: this.#ready.promise,
      createId,
    });
    const tell = (method: string, params: JsonObject): void => void standalone.notify(notificationText(method, params));
    const site = { endpoint, logger, facts, principal: () => this.#principal, tell, onEnded: onServerEnds };
    this.#watchLists = createWatch(site);
    this.#watchResources = createWatch(site);
  }

  /** Whether a request runs. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Whether a handler waits for an answer of the client. */
  get awaitsAnswer(): boolean {
    return this.#asks.isWaiting();
  }

  /**
   * Is told of whoever comes for the session, before what that caller wants: changes are told to what was proved last.
   * Answers whether that may hear of less than what was proved before.
   */
  prove(principal: Principal | undefined): boolean {
    const before = this.#principal;
    this.#principal = principal;
    const isLess = !holdsScopes(principal, before?.scopes ?? []);
    if (!isLess && holdsScopes(before, principal?.scopes ?? [])) return false;
    // Who may see which list does not depend on scopes.
    this.#watchResources.renew(isLess);
    return isLess;
  }

  /** Serves a request and answers its response, or `undefined` when the client cancelled it. It never rejects. */
  async serve(request: Request, call: LegacyCall): Promise<Reply | undefined> {
    const { id, method } = request;
    const { revision, info } = this.facts;
    if (this.#hasEnded) return refusal(id, 'invalidRequest', 'The session has ended: send initialize for another one');
    this.#shared.counts?.add(revision, info?.name);
    if (this.#running.has(id)) return refusal(id, 'invalidRequest', 'A request with this id is still running');
    const declared = methodOf(method);
    if (declared?.revisions.includes(revision) !== true)
      return refusal(id, 'methodNotFound', `Method not found: ${clip(method)}`);
    if (isOwn(declared)) return this.#serveOwn(request, declared);
    const cancellation = new Cancellation();
    this.#running.set(id, cancellation);
    const asking = waitWhileAsking(this.#shared.waiting, call.principal, (asked) =>
      this.#asks.ask(asked, call.outlet, cancellation),
    );
    const reply = await this.#shared.dispatchOf(revision)(toModernRequest(request, this.facts, this.#logLevel), {
      cancellation,
      principal: call.principal,
      chars: call.chars,
      send: (text) => !cancellation.cancelled && call.outlet.notify(text),
      live: asking.ask,
    });
    asking.end();
    this.#asks.withdraw(cancellation);
    // After a cancellation the id may be another request's already.
    if (this.#running.get(id) === cancellation) this.#running.delete(id);
    if (cancellation.cancelled) return undefined;
    if (reply.error === undefined) return reply;
    const error = toLegacyError(method, reply.error);
    return { text: errorText(id, error), status: error.status, error };
  }

  /** Takes a notification of the client, and answers whether it concerned this session. */
  notify({ method, params = {} }: Notification): boolean {
    if (method === notifications.cancelled.method) return this.#cancel(params);
    if (method !== notifications.initialized.method) return false;
    // Each change of what is watched opens a subscription, and a client may say this any number of times.
    if (this.#isReady) return true;
    this.#isReady = true;
    this.#ready.resolve();
    void this.#watchLists.change(listFilterOf(this.#shared.endpoint.capabilities));
    return true;
  }

  /** Takes the client's answer to an ask. */
  settle(response: Response): void {
    this.#asks.settle(response);
  }

  /** Takes what should be the client's answer to an ask and is no message, and answers whether it concerned an ask. */
  fail({ id, problem }: Extract<Incoming, { readonly kind: 'invalid' | 'invalid-response' }>): boolean {
    return this.#asks.fail(id, problem);
  }

  /** Ends the session: what runs is cancelled, and nobody is asked or told any more. */
  end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#watchLists.end();
    this.#watchResources.end();
    for (const cancellation of this.#running.values()) cancellation.cancel(new Error(reason));
    this.#running.clear();
    this.#asks.end();
  }

  #cancel(params: JsonObject): boolean {
    const { requestId, reason } = params;
    const cancellation = isMessageId(requestId) ? this.#running.get(requestId) : undefined;
    if (cancellation === undefined) return false;
    this.#running.delete(requestId as MessageId);
    cancellation.cancel(cancelledByClient(reason));
    return true;
  }

  /** Serves what exists in sessions alone. */
  async #serveOwn({ id, method, params: given = {} }: Request, declared: Method): Promise<Reply> {
    const params = withoutNulls(given);
    const { capabilities } = this.#shared.endpoint;
    const isServed =
      (declared.capability === undefined || capabilities[declared.capability] !== undefined) &&
      (declared.capability !== 'resources' || capabilities.resources?.subscribe === true);
    if (!isServed) return refusal(id, 'methodNotFound', `Method not found: ${method}`);
    const misfit = declared.params(params);
    if (misfit !== undefined) return refusal(id, 'invalidParams', describeMisfit('params', misfit));
    const problem = await this.#act(method, params);
    if (problem !== undefined) return refusal(id, problem === UNWATCHED ? 'internalError' : 'invalidRequest', problem);
    return { text: stringifyJson({ jsonrpc: '2.0', id, result: {} }), status: 200 };
  }

  async #act(method: string, params: JsonObject): Promise<string | undefined> {
    switch (method) {
      case 'logging/setLevel':
        this.#logLevel = (params as object as ParamsOf<'logging/setLevel'>).level;
        return undefined;
      case 'resources/subscribe':
        return this.#subscribe((params as object as ParamsOf<'resources/subscribe'>).uri);
      case 'resources/unsubscribe':
        this.#unsubscribe((params as object as ParamsOf<'resources/unsubscribe'>).uri);
        return undefined;
      case 'initialize':
        return 'The session is initialized already: open another one for another client';
      default:
        return undefined;
    }
  }

  /**
   * What is subscribed to already is watched anew, since what stood in the way may have gone; where something stands
   * there still, the subscription stays.
   */
  async #subscribe(uri: string): Promise<string | undefined> {
    const isNew = !this.#subscribed.has(uri);
    if (isNew) {
      const problem = this.#keepSubscription(uri);
      if (problem !== undefined) return problem;
    }
    const watched = await this.#watchSubscribed();
    if (watched?.resourceSubscriptions?.includes(uri) === true) return undefined;
    if (isNew) this.#unsubscribe(uri);
    return watched === undefined ? UNWATCHED : UNWATCHABLE;
  }

  #keepSubscription(uri: string): string | undefined {
    const { maxSubscriptions, maxSubscriptionChars } = this.#shared.limits;
    if (this.#subscribed.size >= maxSubscriptions)
      return `The session subscribes to ${maxSubscriptions} resources, and no more: unsubscribe from some`;
    if (this.#subscribedChars + uri.length > maxSubscriptionChars)
      return `The session subscribes to URIs of ${maxSubscriptionChars} characters together, and no more: unsubscribe from some`;
    this.#subscribed.add(uri);
    this.#subscribedChars += uri.length;
    return undefined;
  }

  #unsubscribe(uri: string): void {
    if (!this.#subscribed.delete(uri)) return;
    this.#subscribedChars -= uri.length;
    void this.#watchSubscribed();
  }

  #watchSubscribed(): Promise<SubscriptionFilter | undefined> {
    return this.#watchResources.change(
      this.#subscribed.size === 0 ? {} : { resourceSubscriptions: [...this.#subscribed] },
    );
  }
}

/** Whether a method exists in sessions alone: of the methods that this revision lacks, it is served here. */
function isOwn({ revisions }: Method): boolean {
  return !revisions.includes(latestRevision);
}

/** The response to a request that is refused before it is served. */
export function refusal(id: MessageId, code: ErrorName, message: string): Reply {
  const error = new ProtocolError(code, message, { status: 200 });
  return { text: errorText(id, error), status: 200, error };
}
