import {
  describeMisfit,
  inputKinds,
  type InputMethod,
  isJsonObject,
  isValueDeeperThan,
  type JsonObject,
  MAX_MESSAGE_DEPTH,
  type Shape,
} from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { Ask, Declined } from './ask.ts';
import { wireCopy } from './frozen-copy.ts';
import type { InputAnswer, InputHandlers } from './input-handlers.ts';
import { invalidParams, type Outcome, refusals } from './outcome.ts';

/** One question of a server that a handler can be asked. */
export interface Question<A extends Ask = Ask> {
  readonly ask: A;
  /** The name of the handler, for messages. */
  readonly handler: string;
  readonly call: (ask: A) => unknown;
  /**
   * Answers what is sent, and what a review sees of it, for what the handler answered; or what that must be, as the end
   * of a sentence.
   */
  readonly check: (
    answer: unknown,
  ) => { readonly bare: JsonObject; readonly shown: InputAnswer } | { readonly problem: string };
  /** Whether a server is told that the user declined; otherwise the call ends. */
  readonly tellsDeclined: boolean;
}

/** What each kind of question is made from. */
export interface QuestionSource {
  readonly context: PeerContext;
  readonly handlers: InputHandlers;
  readonly method: InputMethod;
  readonly params: JsonObject;
  /** What every ask has. */
  readonly base: Omit<Ask & { kind: 'roots' }, 'kind'>;
}

/** Asks the handler and the review. Rejects as they do, for the caller to wrap. */
export async function askHandler(
  context: PeerContext,
  question: Question,
  review: InputHandlers['review'],
): Promise<Outcome> {
  const { ask } = question;
  // What is checked is what is sent: nothing of the handler's own objects is left to change.
  const given = wireCopy(await question.call(ask));
  if (isDeclined(given)) return declined(context, question, given);
  const first = question.check(given);
  if ('problem' in first) return wrongAnswer(context, question.handler, question, first.problem);
  if (review === undefined) return { answer: first.bare };
  const reviewed = wireCopy(await review(ask, first.shown));
  if (isDeclined(reviewed)) return declined(context, question, reviewed);
  const second = question.check(reviewed);
  return 'problem' in second ? wrongAnswer(context, 'review', question, second.problem) : { answer: second.bare };
}

/** Answers where the params of a question do not have the shape of its kind, or `undefined`. */
export function misshapen(source: QuestionSource): Outcome | undefined {
  if (isValueDeeperThan(source.params, MAX_MESSAGE_DEPTH)) {
    return badQuestion(source, `its params nest deeper than ${MAX_MESSAGE_DEPTH} levels`);
  }
  const shape: Shape<unknown> = inputKinds[source.method].params;
  const misfit = shape(source.params);
  return misfit === undefined ? undefined : badQuestion(source, describeMisfit('params', misfit));
}

/** Answers the outcome of a question that breaks the protocol. */
export function badQuestion({ context, method, base }: QuestionSource, problem: string): Outcome {
  return {
    failure: context.fail(
      'invalid-response',
      `it asks for ${method} (${JSON.stringify(excerpt(base.key, 80))}) in a way that cannot be answered: ${problem}.`,
    ),
    error: invalidParams(problem),
  };
}

/** Answers the outcome of a question that no handler is there for. */
export function noHandler({ context, method }: QuestionSource, handler: string, isMode = false): Outcome {
  return {
    failure: context.fail(
      'unexpected-input-required',
      `it asks for ${method} before it goes on, and nobody here answers that. Give \`input.${handler}\` when connecting, ` +
        'or send the rounds yourself with `client.request`.',
    ),
    error: isMode ? refusals.unsupportedMode : refusals.unsupported,
  };
}

function isDeclined(answer: unknown): answer is Declined {
  return isJsonObject(answer) && (answer['action'] === 'decline' || answer['action'] === 'cancel');
}

function declined(context: PeerContext, { tellsDeclined, handler }: Question, { action }: Declined): Outcome {
  // Content of a form that was not accepted is nobody's business.
  if (tellsDeclined) return { answer: { action } };
  return {
    failure: context.fail('input-refused', `it asked for input, and ${handler} answered ${action}, so it gets none.`),
    error: refusals.declined,
  };
}

function wrongAnswer(context: PeerContext, from: string, { ask }: Question, problem: string): Outcome {
  return {
    failure: context.fail(
      'invalid-argument',
      `the answer of input.${from} to ${JSON.stringify(excerpt(ask.key, 80))} ${problem}. It was not sent.`,
    ),
    error: refusals.failed,
  };
}
