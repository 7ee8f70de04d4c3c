import { clip, type Logger } from '@switchyard/protocol';

import type { Answers } from './answers.ts';
import type { Journal } from './journal.ts';

const MAX_LOGGED_KEYS = 20;

/**
 * Warns when answers came under keys that nobody asked for. What is asked again although an answer came says nothing
 * about why: a slip in a key is seen in the log.
 */
export function warnOfOtherKeys(
  responses: Answers,
  { asked, journal }: { readonly asked: ReadonlyMap<string, unknown>; readonly journal: Journal | undefined },
  logger: Logger,
  about: object,
): void {
  const came = Object.keys(responses);
  if (came.every((key) => asked.has(key) || journal?.answers.has(key) === true)) return;
  logger.warn(
    { ...about, came: loggedKeys(came), asked: loggedKeys([...asked.keys()]) },
    'answers came under keys that were not asked, so they count for nothing',
  );
}

/**
 * Warns of answers that count for nothing without the state that they came with: any of them where a state is good for
 * one use, and elsewhere those to what is asked after the first answer.
 */
export function warnOfUnbound(came: readonly string[], logger: Logger, about: object): void {
  if (came.length === 0) return;
  logger.warn(
    { ...about, came: loggedKeys(came) },
    'answers came without the request state of the round that asked, so they count for nothing',
  );
}

function loggedKeys(keys: readonly string[]): readonly string[] {
  return keys.slice(0, MAX_LOGGED_KEYS).map((key) => clip(key, 128));
}
