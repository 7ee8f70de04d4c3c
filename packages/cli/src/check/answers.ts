import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { type InputAnswers, type RawClient, resultOf } from '@switchyard/testing';
import { parseObject } from '../arguments/parse-pairs.ts';
import { usageFailure } from '../failure.ts';

const actions: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

/**
 * Reads `--answers`: by the key of a question, what a client answers to it. Throws a usage failure for anything that
 * answers no kind of question.
 */
export function parseAnswers(text: string): InputAnswers {
  const answers = parseObject('--answers', text);
  for (const [key, answer] of Object.entries(answers)) {
    if (isJsonObject(answer) && isAnswer(answer)) continue;
    throw usageFailure(
      `--answers: the answer to ${JSON.stringify(key)} must be an object such as {"action":"accept","content":{…}} ` +
        'for a form, {"action":"decline"}, {"role":"assistant","content":{…},"model":"…"} for the text of a model, or {"roots":[…]}.',
    );
  }
  return answers as InputAnswers;
}

function isAnswer({ action, content, role, model, roots }: JsonObject): boolean {
  if (action !== undefined) return actions.has(action) && (content === undefined || isJsonObject(content));
  if (roots !== undefined) return Array.isArray(roots);
  return typeof role === 'string' && typeof model === 'string' && typeof content === 'object';
}

/** Says which keys of the answers nothing asked for, and which were asked for; `undefined` where there are none. */
export function describeUnasked(
  answers: InputAnswers,
  { exchanges }: Pick<RawClient, 'exchanges'>,
): string | undefined {
  const requests = exchanges.map((exchange) => resultOf(exchange)?.['inputRequests']).filter(isJsonObject);
  const asked = [...new Set(requests.flatMap((questions) => Object.keys(questions)))];
  const unasked = Object.keys(answers).filter((key) => !asked.includes(key));
  if (unasked.length === 0) return undefined;
  const known = asked.length === 0 ? 'nothing asked for input' : `asked for was ${quoted(asked)}`;
  return `--answers: no question has the key ${quoted(unasked)}; ${known}.`;
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => JSON.stringify(key)).join(', ');
}
