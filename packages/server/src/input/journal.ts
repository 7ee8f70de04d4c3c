import type { InputMethod, InputRequest, JsonObject } from '@switchyard/protocol';

import type { Outcome } from '../effects/outcome.ts';
import type { Question } from '../handler/question.ts';
import { digestOf } from '../state/digest.ts';
import { answerProblem, type Answers, badAnswer, noAnswers } from './answers.ts';

/** An answer together with the digest of the question that it answers. */
export interface JournalAnswer {
  readonly question: string;
  readonly answer: JsonObject;
}

/** What was asked in the last round: how its answer is shaped, and the digest of the question. */
export interface JournalPending {
  readonly method: InputMethod;
  readonly question: string;
}

/** Answers the digest that tells one question from another: 128 bits in 22 characters. */
export function questionDigest(request: InputRequest): string {
  return digestOf(request).slice(0, 22);
}

/** What a handler's run remembers from round to round; it travels sealed, as request state. */
export interface Journal {
  /** How many times input was asked for. */
  round: number;
  readonly pending: Map<string, JournalPending>;
  readonly answers: Map<string, JournalAnswer>;
  readonly steps: Map<string, Outcome>;
  /** What the author of an explicit `inputRequired` keeps. */
  kept: unknown;
}

/** Answers the journal of a first round. */
export function createJournal(): Journal {
  return { round: 0, pending: new Map(), answers: new Map(), steps: new Map(), kept: undefined };
}

/** Answers the requests for input that questions are, and remembers them as what the round asked. */
export function askIn(
  journal: Journal,
  questions: ReadonlyMap<string, Question<unknown>>,
): { readonly [key: string]: InputRequest } {
  for (const [key, { request }] of questions)
    journal.pending.set(key, { method: request.method, question: questionDigest(request) });
  return Object.fromEntries([...questions].map(([key, { request }]) => [key, request]));
}

/**
 * Takes in those of the responses that are for what the last round asked, and answers them; nothing is asked any more
 * then.
 *
 * @throws ProtocolError -32602 for one of the wrong shape.
 */
export function answerPending(journal: Journal, responses: Answers): Answers {
  const answers: Record<string, JsonObject> = {};
  for (const [key, { method, question }] of journal.pending) {
    const answer = Object.hasOwn(responses, key) ? responses[key] : undefined;
    if (answer === undefined) continue;
    const problem = answerProblem(method, answer);
    if (problem !== undefined) throw badAnswer(key, problem);
    answers[key] = answer;
    journal.answers.set(key, { question, answer });
  }
  journal.pending.clear();
  return answers;
}

/**
 * Answers those of the answers without a state that still count: all of them until something is answered, none later.
 * What is asked from then on may say what those before it decided, and only a state tells what a user was asked.
 */
export function looseIn({ answers }: Journal, loose: Answers): Answers {
  return answers.size === 0 ? loose : noAnswers;
}

/** The journal as JSON. */
export function journalToJson({ round, pending, answers, steps, kept }: Journal): JsonObject {
  return {
    round,
    pending: Object.fromEntries(pending),
    answers: Object.fromEntries(answers),
    steps: Object.fromEntries(steps),
    ...(kept === undefined ? {} : { kept }),
  };
}

/**
 * Reads a journal that {@link journalToJson} wrote; a sealed one is what this software wrote, so it is not checked
 * again.
 */
export function journalFromJson(json: JsonObject): Journal {
  return {
    round: json['round'] as number,
    pending: new Map(Object.entries(json['pending'] as { readonly [key: string]: JournalPending })),
    answers: new Map(Object.entries(json['answers'] as { readonly [key: string]: JournalAnswer })),
    steps: new Map(Object.entries(json['steps'] as { readonly [name: string]: Outcome })),
    kept: json['kept'],
  };
}

/** Answers what takes the most room in a journal, as errors call it, and its size in characters. */
export function largestPart({
  steps,
  answers,
  kept,
}: Journal): { readonly what: string; readonly chars: number } | undefined {
  let largest: { readonly what: string; readonly chars: number } | undefined;
  const weigh = (what: string, part: unknown): void => {
    const chars = JSON.stringify(part).length;
    if (largest === undefined || chars > largest.chars) largest = { what, chars };
  };
  for (const [name, outcome] of steps) weigh(`the step "${name}"`, outcome);
  for (const [key, answer] of answers) weigh(`the answer to "${key}"`, answer);
  if (kept !== undefined) weigh('what inputRequired keeps', kept);
  return largest;
}
