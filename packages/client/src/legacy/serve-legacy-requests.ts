import type { ServerAsking } from '../input/server-asking.ts';
import {
  type InFlight,
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
import { withAnySignal } from '../timing/with-any-signal.ts';
import { excerpt } from '../peer/excerpt.ts';
import { textOf } from '../peer/text-of.ts';
import type { Asked } from '../input/asker.ts';
import type { InputOrigin } from '../input/input-answerer.ts';
import { type Outcome, refusals } from '../input/outcome.ts';
import type { HeaderFields } from '../message/connection.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Hold } from '../timing/hold.ts';

/** One session of a legacy server, from its `initialize` until it is dropped. What it asks belongs to it alone. */
export interface Conversation {
  /** Absent before `initialize` is answered; nothing is asked of anybody then. */
  readonly revision: LegacyRevision | undefined;
  /** What its answers travel under. */
  readonly headers: HeaderFields;
  /** Aborts when the server has dropped it. */
  readonly over: AbortSignal;
}

/** A request of this client that waits for its answer. */
export interface RunningRequest {
  /** The one that it was sent in. */
  readonly conversation: Conversation;
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when its answer is no longer wanted. */
  readonly signal: AbortSignal;
  readonly hold: Hold | undefined;
  /** How often it was interrupted. */
  asked: number;
}

/** What a server sends outside of an answer. Neither function throws. */
export interface ServedRequests {
  onRequest(request: Request, during?: MessageId): void;
  /** Sees every notification before it goes where it belongs. */
  observe(notification: Notification): void;
}

/** The same for a legacy session, which says what has ended. */
export interface LegacyRequests extends ServedRequests {
  /** Gives up what the server asked in the stream of a request that is no longer waited for. */
  ended(id: MessageId): void;
}

interface LegacyRequestsOptions {
  readonly context: PeerContext;
  /** Sends an answer under the headers of the conversation that it belongs to. */
  readonly respond: (response: Response, conversation: Conversation) => Promise<void>;
  /** What this client waits for, by id. */
  readonly running: InFlight<RunningRequest>;
  readonly asking: ServerAsking;
  /** Answers the conversation of what does not come in the stream of a request. */
  readonly current: () => Conversation;
  readonly closed: Promise<unknown>;
}

/** A question of the server that somebody is asked. */
interface OpenQuestion {
  readonly during: MessageId | undefined;
  readonly takenBack: AbortController;
  readonly ended: AbortController;
}

const MAX_QUESTIONS = 100;
const MAX_WRITES = 100;

/**
 * Serves the requests that a legacy server sends: `ping` gets `{}`; elicitation, sampling and roots go to the caller's
 * handlers; every other one, and one without a handler, gets -32601. While a handler works, the time limits of the
 * request that it interrupts stand still, or of all requests where the server does not say which that is.
 *
 * A question belongs to the conversation that it came in, and to the request in whose stream it came: it is answered
 * there or nowhere, since another session has other questions under the same ids. One that the server takes back, or
 * that outlives its conversation or the connection, is given up and gets no answer; one whose request has ended is given
 * up with an error. Beyond 100 questions each gets an error at once, and a server that does not read the answers is not
 * answered beyond 100 that wait to be written.
 *
 * Spec: 2025-11-25/basic/utilities/ping, 2025-11-25/client.
 */
export function serveLegacyRequests(options: LegacyRequestsOptions): LegacyRequests {
  const { context, respond, running, asking } = options;
  const open = new Map<MessageId, OpenQuestion>();
  const closing = new AbortController();
  let questions = 0;
  let writes = 0;
  void options.closed.then(() => closing.abort(context.fail('closed', 'its connection ended.')));

  return {
    onRequest(request, during) {
      const interrupted = during === undefined ? undefined : running.get(during);
      // What still comes in the stream of a request that has ended belongs to no conversation for sure.
      if (during !== undefined && interrupted === undefined) return;
      const { id, method } = request;
      const conversation = interrupted?.conversation ?? options.current();
      if (method === 'ping') return void answerAtOnce(request, { jsonrpc: '2.0', id, result: {} }, conversation);
      const refuse = (error: { readonly code: number; readonly message: string }): void =>
        void answerAtOnce(request, { jsonrpc: '2.0', id, error }, conversation);
      if (conversation.revision === undefined || !isInputMethod(method)) return refuse(refusals.unsupported);
      if (conversation.over.aborted) return refuse(refusals.failed);
      if (questions < MAX_QUESTIONS) return void serve(request, during, conversation);
      context.warn(
        'unexpected-request',
        `asks more than ${MAX_QUESTIONS} questions before the first are answered; ${method} is refused.`,
      );
      refuse(refusals.tooOften);
    },
    observe(notification) {
      asking.asker.observe(notification);
      if (notification.method !== notifications.cancelled.method) return;
      const id = notification.params?.['requestId'] as MessageId;
      open.get(id)?.takenBack.abort(context.fail('aborted', 'it took its request back.'));
    },
    ended(id) {
      for (const { during, ended } of open.values()) {
        if (during === id) ended.abort(context.fail('aborted', 'the call that it interrupted has ended.'));
      }
    },
  };

  async function answerAtOnce(request: Request, response: Response, conversation: Conversation): Promise<void> {
    if (writes >= MAX_WRITES) {
      const method = excerpt(request.method);
      context.warn('unexpected-request', `sends requests faster than it reads the answers; ${method} gets none.`);
      return;
    }
    writes += 1;
    try {
      await respond(response, conversation);
    } catch {
      // The connection is gone, and with it whoever asked.
    } finally {
      writes -= 1;
    }
  }

  async function serve(request: Request, during: MessageId | undefined, conversation: Conversation): Promise<void> {
    questions += 1;
    const question: OpenQuestion = { during, takenBack: new AbortController(), ended: new AbortController() };
    open.set(request.id, question);
    const unwanted = [closing.signal, question.takenBack.signal, conversation.over];
    try {
      const interrupted = during === undefined ? undefined : running.get(during);
      const response = await withAnySignal([...unwanted, question.ended.signal, interrupted?.signal], async (signal) =>
        answerTo(request, { interrupted, conversation, signal }),
      );
      if (!unwanted.some(({ aborted }) => aborted)) await respond(response, conversation);
    } catch (error) {
      // Where the connection is gone, so is whoever asked.
      if (unwanted.some(({ aborted }) => aborted)) return;
      context.warn('input-failed', () => `it does not take the answer to ${excerpt(request.method)}: ${textOf(error)}`);
    } finally {
      questions -= 1;
      if (open.get(request.id) === question) open.delete(request.id);
    }
  }

  async function answerTo(
    { id, method, params = {} }: Request,
    site: {
      readonly interrupted: RunningRequest | undefined;
      readonly conversation: Conversation;
      readonly signal: AbortSignal;
    },
  ): Promise<Response> {
    const { interrupted, conversation, signal } = site;
    const held = interrupted === undefined ? [...running.values()] : [interrupted];
    for (const each of held) each.asked += 1;
    const origin: InputOrigin = {
      revision: conversation.revision as LegacyRevision,
      ...(interrupted === undefined
        ? { round: 1 }
        : { method: interrupted.method, params: interrupted.params, round: interrupted.asked }),
    };
    const asked = { key: String(id), request: { method: method as InputMethod, params }, origin, signal };
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
      if (!asked.signal.aborted) context.warn('input-failed', `a question of it could not be asked: ${textOf(error)}.`);
      return undefined;
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
