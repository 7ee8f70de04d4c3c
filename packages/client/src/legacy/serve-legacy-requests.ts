import type { ServerAsking } from '../input/server-asking.ts';
import {
  errorCodes,
  inputKinds,
  type InputMethod,
  type JsonObject,
  type LegacyRevision,
  type MessageId,
  type Notification,
  notifications,
  type Request,
  type Response,
} from '@switchyard/protocol';
import { withAnySignal } from '../timing/deadline.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { Asked } from '../input/asker.ts';
import type { InputOrigin } from '../input/input-answerer.ts';
import { type Outcome, refusals } from '../input/outcome.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** A request of this client that waits for its answer. */
export interface RunningRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when its answer is no longer wanted. */
  readonly signal: AbortSignal;
  readonly hold: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** How often it was interrupted. */
  asked: number;
}

/** What a server sends outside of an answer. Neither function throws. */
export interface ServedRequests {
  onRequest(request: Request, during?: MessageId): void;
  /** Sees every notification before it goes where it belongs. */
  observe(notification: Notification): void;
}

interface LegacyRequestsOptions {
  readonly context: PeerContext;
  readonly respond: (response: Response) => Promise<void>;
  /** What this client waits for, by id. */
  readonly running: ReadonlyMap<MessageId, RunningRequest>;
  readonly asking: ServerAsking;
  /** Answers the negotiated revision, once there is one. */
  readonly revision: () => LegacyRevision | undefined;
  readonly closed: Promise<unknown>;
}

const MAX_ANSWERS_UNDER_WAY = 100;

/**
 * Serves the requests that a legacy server sends: `ping` gets `{}`; elicitation, sampling and roots go to the caller's
 * handlers; every other one, and one without a handler, gets -32601. While a handler works, the time limits of the
 * request that it interrupts stand still, or of all requests where the server does not say which that is. A question that
 * the server cancels, or that outlives the connection, is given up and gets no answer. A server that asks without
 * reading the answers is not answered beyond 100 of them.
 *
 * Spec: 2025-11-25/basic/utilities/ping, 2025-11-25/client.
 */
export function serveLegacyRequests(options: LegacyRequestsOptions): ServedRequests {
  const { context, respond, running, asking } = options;
  const open = new Map<MessageId, AbortController>();
  const closing = new AbortController();
  let underWay = 0;
  void options.closed.then(() => closing.abort(context.fail('closed', 'its connection ended.')));

  return {
    onRequest(request, during) {
      if (underWay < MAX_ANSWERS_UNDER_WAY) void serve(request, during);
      else {
        const method = excerpt(request.method);
        context.warn('unexpected-request', `sends requests faster than it reads the answers; ${method} gets none.`);
      }
    },
    observe(notification) {
      asking.asker.observe(notification);
      if (notification.method !== notifications.cancelled.method) return;
      const id = notification.params?.['requestId'] as MessageId;
      open.get(id)?.abort(context.fail('aborted', 'it took its request back.'));
    },
  };

  async function serve(request: Request, during: MessageId | undefined): Promise<void> {
    underWay += 1;
    const controller = new AbortController();
    open.set(request.id, controller);
    try {
      const interrupted = during === undefined ? undefined : running.get(during);
      const response = await withAnySignal([closing.signal, controller.signal, interrupted?.signal], async (signal) =>
        answerTo(request, interrupted, signal),
      );
      if (!closing.signal.aborted && !controller.signal.aborted) await respond(response);
    } catch {
      // The question was taken back, or the connection is gone, and with it whoever asked.
    } finally {
      underWay -= 1;
      if (open.get(request.id) === controller) open.delete(request.id);
    }
  }

  async function answerTo(
    request: Request,
    interrupted: RunningRequest | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const { id, method, params = {} } = request;
    if (method === 'ping') return { jsonrpc: '2.0', id, result: {} };
    const revision = options.revision();
    if (revision === undefined || !isInputMethod(method)) {
      const { code } = errorCodes.methodNotFound;
      return { jsonrpc: '2.0', id, error: { code, message: 'Method not found: this client does not serve it' } };
    }
    const held = interrupted === undefined ? [...running.values()] : [interrupted];
    for (const each of held) each.asked += 1;
    const origin: InputOrigin = {
      revision,
      ...(interrupted === undefined
        ? { round: 1 }
        : { method: interrupted.method, params: interrupted.params, round: interrupted.asked }),
    };
    const asked = { key: String(id), request: { method, params }, origin, signal };
    const outcome = await holdAll(held, () => ask(asked));
    if (outcome === undefined) return { jsonrpc: '2.0', id, error: refusals.failed };
    if ('answer' in outcome) return { jsonrpc: '2.0', id, result: outcome.answer };
    // The caller sees no result of this, so he learns of it here.
    if (outcome.error !== refusals.unsupported) context.warn('input-failed', outcome.failure.message);
    return { jsonrpc: '2.0', id, error: outcome.error };
  }

  /** A question of a call that was given up is answered, too: the server may not have heard of the end yet. */
  async function ask(asked: Asked): Promise<Outcome | undefined> {
    try {
      return await asking.asker.ask(asked);
    } catch (error) {
      if (asked.signal.aborted) return undefined;
      throw error;
    }
  }

  /** A server that goes on asking does not keep a request alive for ever. */
  function holdAll<T>(held: readonly RunningRequest[], work: () => Promise<T>): Promise<T> {
    return held.reduce<() => Promise<T>>((inner, { hold, asked }) => {
      if (hold === undefined || asked > asking.maxRounds) return inner;
      return () => hold(inner);
    }, work)();
  }
}

function isInputMethod(method: string): method is InputMethod {
  return Object.hasOwn(inputKinds, method);
}
