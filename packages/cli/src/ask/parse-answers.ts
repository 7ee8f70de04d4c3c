import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { parseObject } from '../arguments/parse-pairs.ts';
import { readTextFile } from '../check/files.ts';
import { usageFailure } from '../failure.ts';
import { findRepeatedKey } from './repeated-key.ts';

/** By the key of a question, what is answered to it. */
export interface Answers {
  readonly [key: string]: JsonObject;
}

const actions: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

/**
 * Reads `--answers`, an object, or `@FILE` with one: by the key of a question, what a client answers to it. Throws a
 * usage failure for anything that answers no kind of question, and for a key that is given twice, and a failure `file`.
 */
export async function parseAnswers(given: string, cwd: string): Promise<Answers> {
  const text = given.startsWith('@') ? await readTextFile(given.slice(1), cwd) : given;
  const answers = parseObject('--answers', text);
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined) throw usageFailure(`--answers: the key ${JSON.stringify(repeated)} is given twice.`);
  for (const [key, answer] of Object.entries(answers)) {
    if (isJsonObject(answer) && isAnswer(answer)) continue;
    throw usageFailure(
      `--answers: the answer to ${JSON.stringify(key)} must be an object such as {"action":"accept","content":{…}} ` +
        'for a form, {"action":"decline"}, {"role":"assistant","content":{…},"model":"…"} for the text of a model, ' +
        'or {"roots":[…]}.',
    );
  }
  return answers as object as Answers;
}

function isAnswer({ action, content, role, model, roots }: JsonObject): boolean {
  if (action !== undefined) return actions.has(action) && (content === undefined || isJsonObject(content));
  if (roots !== undefined) return Array.isArray(roots);
  return typeof role === 'string' && typeof model === 'string' && typeof content === 'object';
}
