import { type JsonObject, stringifyJson } from '@switchyard/protocol';
import type { InputOrigin } from '../input/input-answerer.ts';
import { type AskedInputs, isSameRequest, type TaskInputs } from './task-inputs.ts';
import type { TaskRequests } from './task-requests.ts';
import { describeTask } from './task-state.ts';

/** The questions of one task that somebody is asked, while it is observed. */
export interface TaskQuestions {
  /**
   * Takes what the task asks for now: what is not among it any more, or is asked otherwise, is withdrawn; what is new is
   * asked, each by itself, and answered together with what came with it.
   */
  see(asked: AskedInputs): void;
  /** Withdraws questions that the caller answers himself, or all of them. */
  withdraw(keys?: readonly string[]): void;
  /** What is being thought about: each settles when that is over, and none rejects. */
  pending(): readonly Promise<unknown>[];
}

/** What the questions need. */
export interface TaskQuestionsSetup {
  readonly requests: TaskRequests;
  readonly taskId: string;
  /** The params of the call that the task stands for, where they are known. */
  readonly params: JsonObject | undefined;
  readonly inputs: TaskInputs;
  /** Told of each question as it is asked, with a promise as of {@link TaskQuestions.pending}. */
  readonly onAsked: (thinking: Promise<unknown>) => void;
  /** Told when there is something to send. */
  readonly onAnswers: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** What was asked in one look. */
interface Batch {
  readonly open: Set<Question>;
  readonly answered: Map<string, JsonObject>;
}

interface Question {
  readonly key: string;
  readonly text: string;
  readonly batch: Batch;
  readonly controller: AbortController;
  thinking: Promise<unknown> | undefined;
}

/**
 * Creates the questions of one task. An answer is for the question that was shown: one that the server took back or
 * changed meanwhile is given up with its dialog, and comes as a new one when it comes again.
 *
 * Spec: SEP-2663, task update requests.
 */
export function createTaskQuestions(setup: TaskQuestionsSetup): TaskQuestions {
  const { requests, taskId, params, inputs } = setup;
  const { context, caller } = requests;
  const questions = new Map<string, Question>();
  let rounds = 0;

  return {
    see(asked) {
      for (const [key, { text }] of questions) {
        if (isSameRequest(asked, key, text)) continue;
        drop(key);
        inputs.giveBack([key]);
      }
      const fresh = Object.entries(inputs.take(asked));
      if (fresh.length === 0) return;
      rounds += 1;
      const origin: InputOrigin = { revision: requests.revision(), method: 'tools/call', params, round: rounds };
      const batch: Batch = { open: new Set(), answered: new Map() };
      for (const [key, request] of fresh) {
        const controller = new AbortController();
        const question: Question = { key, text: stringifyJson(request), batch, controller, thinking: undefined };
        questions.set(key, question);
        batch.open.add(question);
        question.thinking = caller.input.answer(Object.fromEntries([[key, request]]), origin, controller.signal).then(
          (responses) => settle(question, responses[key]),
          (error: unknown) => fail(question, error),
        );
        setup.onAsked(question.thinking);
      }
    },
    withdraw(keys) {
      for (const key of keys ?? [...questions.keys()]) {
        if (drop(key) && keys === undefined) inputs.giveBack([key]);
      }
    },
    pending: () => [...questions.values()].flatMap(({ thinking }) => thinking ?? []),
  };

  function drop(key: string): boolean {
    const question = questions.get(key);
    if (question === undefined) return false;
    questions.delete(key);
    question.batch.answered.delete(key);
    question.batch.open.delete(question);
    question.controller.abort(
      context.fail('aborted', `${describeTask(taskId)} does not wait for that answer any more.`),
    );
    handOver(question.batch);
    return true;
  }

  function settle(question: Question, response: JsonObject | undefined): void {
    const { key, batch } = question;
    if (questions.get(key) !== question || response === undefined) return;
    question.thinking = undefined;
    batch.open.delete(question);
    batch.answered.set(key, response);
    handOver(batch);
  }

  function fail(question: Question, error: unknown): void {
    const { key } = question;
    if (questions.get(key) !== question) return;
    questions.delete(key);
    inputs.giveBack([key]);
    setup.onFailure(error);
  }

  /** A server need not take a part of what it asked for. */
  function handOver({ open, answered }: Batch): void {
    if (open.size > 0 || answered.size === 0) return;
    for (const key of answered.keys()) questions.delete(key);
    inputs.answered(Object.fromEntries(answered));
    answered.clear();
    setup.onAnswers();
  }
}
