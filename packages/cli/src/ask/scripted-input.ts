import type { Ask, InputHandlers } from '@switchyard/client';
import { Failure } from '../failure.ts';
import type { Answers } from './parse-answers.ts';

const MAX_SHOWN_CHARS = 200;

/** The key of the answer to every question that has none of its own. */
const ANY = '*';

/** Handlers that answer by a list made before. */
export interface ScriptedInput {
  readonly handlers: InputHandlers;
  /** The keys of answers that nothing asked for. */
  unasked(): readonly string[];
}

/**
 * Creates handlers that answer by the key of a question, else by `*`, and are there for what the answers can answer. A
 * page is consented to by its own key alone. What has no answer ends the call with a failure `input-refused`.
 */
export function createScriptedInput(answers: Answers): ScriptedInput {
  const given = Object.values(answers);
  const asked = new Set<string>();
  const elicits = given.some((answer) => 'action' in answer);
  // The client checks every answer by the question that it is for.
  const handlers: object = {
    ...(elicits
      ? { elicitForm: async (ask: Ask) => answerTo(ask), elicitUrl: async (ask: Ask) => answerToPage(ask) }
      : {}),
    ...(given.some((answer) => 'role' in answer) ? { sample: async (ask: Ask) => answerTo(ask) } : {}),
    ...(given.some((answer) => 'roots' in answer) ? { roots: async (ask: Ask) => rootsFor(ask) } : {}),
  };
  return {
    handlers,
    unasked: () => Object.keys(answers).filter((key) => key !== ANY && !asked.has(key)),
  };

  function answerTo({ key, server }: Ask): Answers[string] {
    const found = Object.hasOwn(answers, key) ? key : ANY;
    const answer = Object.hasOwn(answers, found) ? answers[found] : undefined;
    if (answer === undefined) {
      const known = Object.keys(answers).map(shown);
      throw new Failure(
        'input-refused',
        `--answers: MCP server "${server}" asks under the key ${shown(key)}, and there are answers to ` +
          `${known.join(', ')}. Add one, or "${ANY}" for every question.`,
        { server },
      );
    }
    asked.add(found);
    return answer;
  }

  function answerToPage(ask: Ask): Answers[string] {
    const answer = answerTo(ask);
    if (answer['action'] !== 'accept' || Object.hasOwn(answers, ask.key)) return answer;
    throw new Failure(
      'input-refused',
      `--answers: MCP server "${ask.server}" asks for a page to be opened, which needs an answer of its own: ` +
        `{${shown(ask.key)}:{"action":"accept"}}, once it was opened.`,
      { server: ask.server },
    );
  }

  function rootsFor(ask: Ask): unknown {
    const answer = answerTo(ask);
    return 'roots' in answer ? answer['roots'] : answer;
  }
}

/** Answers a key as JSON in which nothing is invisible, so that keys that only look alike are told apart. */
function shown(key: string): string {
  const text = JSON.stringify(key.length > MAX_SHOWN_CHARS ? `${key.slice(0, MAX_SHOWN_CHARS)}…` : key);
  return text.replace(/[\p{C}\p{Z}]/gu, (character) =>
    character === ' '
      ? character
      : Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
