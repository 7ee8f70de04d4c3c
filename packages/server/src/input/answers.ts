import {
  clip,
  describeMisfit,
  inputKinds,
  type InputMethod,
  type InputRequest,
  isJsonObject,
  type JsonObject,
  ProtocolError,
} from '@switchyard/protocol';

import { InputError } from '../handler/input-error.ts';
import type { LiveAsk } from '../handler/live-ask.ts';
import type { Question } from '../handler/question.ts';
import type { Checked } from '../schema/value-schema.ts';

/** Answers of a client by the keys that they are for. */
export interface Answers {
  readonly [key: string]: JsonObject;
}

/** No answers. */
export const noAnswers: Answers = {};

/**
 * Answers what is wrong with the shape of an answer to a request of this method. What comes with a refusal counts for
 * nothing, whatever it is: some clients send `null` or half a form along.
 */
export function answerProblem(method: InputMethod, answer: unknown): string | undefined {
  const isRefusal = method === 'elicitation/create' && isJsonObject(answer) && answer['action'] !== 'accept';
  const misfit = inputKinds[method].result(isRefusal ? { ...answer, content: {} } : answer);
  return misfit === undefined ? undefined : describeMisfit('it', misfit);
}

/** Reads what a client answered, as the question takes it. */
export async function readAnswer(question: Question<unknown>, answer: JsonObject): Promise<Checked> {
  const problem = answerProblem(question.request.method, answer);
  return problem === undefined ? question.read(answer) : { problem };
}

/**
 * Asks a legacy client and answers what it said. Rejects with InputError `answer` when that is no answer to the
 * request.
 */
export async function answerLive(live: LiveAsk, key: string, request: InputRequest): Promise<JsonObject> {
  const answer = await live(request, key);
  const problem = answerProblem(request.method, answer);
  if (problem !== undefined) throw new InputError('answer', `the client's answer to "${key}" is none: ${problem}`);
  return answer;
}

/** The error for an answer that is none. */
export function badAnswer(key: string, problem: string): ProtocolError {
  return new ProtocolError('invalidParams', `The input response "${key}" is invalid: ${problem}`, { data: { key } });
}

/**
 * Answers those of the answers without state that are for what is asked, `undefined` where there are none.
 *
 * @throws ProtocolError -32602 for one that is none.
 */
export function takeAnswers(requests: ReadonlyMap<string, Question<unknown>>, loose: Answers): Answers | undefined {
  const given = [...requests].flatMap(([key, { request }]) => {
    const answer = Object.hasOwn(loose, key) ? loose[key] : undefined;
    if (answer === undefined) return [];
    const problem = answerProblem(request.method, answer);
    if (problem !== undefined) throw badAnswer(key, problem);
    return [[key, answer] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Puts every question to a client that is asked while the handler waits. */
export async function askAll(live: LiveAsk, requests: ReadonlyMap<string, Question<unknown>>): Promise<Answers> {
  const asked = [...requests].map(async ([key, { request }]) => [key, await answerLive(live, key, request)] as const);
  return Object.fromEntries(await Promise.all(asked));
}

/** @throws ProtocolError -32602 for a response that is no object. */
export function readResponses(given: unknown): Answers {
  if (given === undefined) return noAnswers;
  const responses = given as Answers;
  for (const [key, response] of Object.entries(responses)) {
    if (!isJsonObject(response)) throw badAnswer(clip(key, 128), 'it must be an object');
  }
  return responses;
}
