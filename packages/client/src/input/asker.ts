import {
  type ClientCapabilities,
  type InputMethod,
  type InputRequest,
  isJsonObject,
  isLegacyRevision,
  type JsonObject,
  methodOf,
  type Notification,
} from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';
import { withDeadline } from '../timing/deadline.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { textOf } from '../peer/text-of.ts';
import type { Interrupted } from './ask.ts';
import { askForm } from './ask-form.ts';
import { askModel } from './ask-model.ts';
import { askRoots } from './ask-roots.ts';
import { askUrl } from './ask-url.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { InputOrigin } from './input-answerer.ts';
import type { InputHandlers } from './input-handlers.ts';
import { createOpenPages } from './open-pages.ts';
import { type Outcome, refusals } from './outcome.ts';
import { askHandler, type Question, type QuestionSource } from './question.ts';
import { createRateLimit } from './rate-limit.ts';
import { createSlots } from './slots.ts';

/** What an {@link Asker} works with. */
export interface AskerOptions {
  readonly context: PeerContext;
  readonly handlers: InputHandlers;
  /** What this client declares. */
  readonly capabilities: ClientCapabilities;
  readonly trust: string;
}

/** One question of a server and what it interrupts. */
export interface Asked {
  readonly key: string;
  readonly request: InputRequest;
  readonly origin: InputOrigin;
  readonly signal: AbortSignal;
}

/** Asks the caller's handlers, one question at a time. */
export interface Asker {
  /** Answers how a question ended. Rejects with the reason of `signal` alone. */
  ask(asked: Asked): Promise<Outcome>;
  /** Takes the notifications of a server, some of which say that a page is done with. */
  observe(notification: Notification): void;
}

const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_MAX_CONCURRENT = 8;
const DEFAULT_MAX_SAMPLES_PER_MINUTE = 60;

/** Creates the way to the handlers of one client. It keeps the time limit, the number at a time and the rate. */
export function createAsker({ context, handlers, capabilities, trust }: AskerOptions): Asker {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxConcurrent = DEFAULT_MAX_CONCURRENT } = handlers;
  const slots = createSlots(maxConcurrent);
  const mayAskModel = createRateLimit(context.clock, handlers.maxSamplesPerMinute ?? DEFAULT_MAX_SAMPLES_PER_MINUTE);
  const pages = createOpenPages();

  return { ask, observe: pages.observe };

  function ask(asked: Asked): Promise<Outcome> {
    return slots.run(asked.signal, () => withinTime(asked));
  }

  async function withinTime(asked: Asked): Promise<Outcome> {
    try {
      return await withDeadline(
        context,
        {
          what: `the answer to ${asked.request.method}`,
          signal: asked.signal,
          totalMs: timeoutMs,
          totalOption: 'input.timeoutMs',
        },
        ({ signal, local }) =>
          local(`the handler for ${asked.request.method}`, () =>
            answer({ ...asked, signal }).catch((error: unknown) => {
              // A handler may use other servers, whose errors are not those of this one.
              throw handlerFailed(asked, error);
            }),
          ),
      );
    } catch (error) {
      asked.signal.throwIfAborted();
      return { failure: error as ClientError, error: refusals.failed };
    }
  }

  async function answer(asked: Asked): Promise<Outcome> {
    const { elicitationId } = asked.request.params ?? {};
    const page =
      isLegacyRevision(asked.origin.revision) && typeof elicitationId === 'string'
        ? pages.open(elicitationId)
        : undefined;
    try {
      const question = prepare(asked, page?.completed);
      return 'ask' in question ? await askHandler(context, question, reviewOf(handlers)) : question;
    } finally {
      page?.close();
    }
  }

  function prepare({ key, request, origin, signal }: Asked, completed: Promise<void> | undefined): Question | Outcome {
    const { method, params = {} } = request;
    const source: QuestionSource = {
      context,
      handlers,
      method,
      params,
      base: {
        server: context.server,
        trust,
        revision: origin.revision,
        interrupts: interruptedOf(origin),
        round: origin.round,
        key,
        signal,
      },
    };
    // Every kind of question has an ask of its own, which its handler alone reads.
    const prepared: { readonly [M in InputMethod]: () => unknown } = {
      'elicitation/create': () => (params['mode'] === 'url' ? askUrl(source, completed) : askForm(source)),
      'sampling/createMessage': () => askModel(source, capabilities, mayAskModel),
      'roots/list': () => askRoots(source),
    };
    return prepared[method]() as Question | Outcome;
  }

  function handlerFailed({ request, key }: Asked, error: unknown): ClientError {
    return context.fail(
      'input-refused',
      `the handler for ${request.method} (${JSON.stringify(excerpt(key, 80))}) failed, so the server gets no answer: ${excerpt(textOf(error))}.`,
      { cause: error },
    );
  }
}

function reviewOf(handlers: InputHandlers): InputHandlers['review'] {
  const { review } = handlers;
  return review === undefined ? undefined : (ask, answer) => review.call(handlers, ask, answer);
}

function interruptedOf({ method, params = {} }: InputOrigin): Interrupted | undefined {
  if (method === undefined) return undefined;
  const source = methodOf(method)?.nameFrom;
  const name: unknown = source === undefined ? undefined : params[source];
  const args: unknown = params['arguments'];
  return Object.freeze({
    method,
    name: typeof name === 'string' ? name : undefined,
    arguments: isJsonObject(args) ? frozenCopy<JsonObject>(args) : undefined,
  });
}
