import type { ClientCapabilities, Logger, ProtocolError } from '@switchyard/protocol';

import type { LiveAsk } from '../handler/live-ask.ts';
import type { Question } from '../handler/question.ts';
import type { Answers } from './answers.ts';

/** What a run needs of the request that it serves. */
export interface RunSite {
  readonly capabilities: ClientCapabilities;
  /** Present: asks are sent to the client at once, and the handler waits. Absent: an unanswered ask ends the round. */
  live(): LiveAsk | undefined;
  /** How often a live ask is put whose answer is none: at least once. */
  liveTries(): number;
  /** What a retry without a state answers. */
  readonly loose: Answers;
  readonly development: boolean;
  /** It must not throw. */
  readonly logger: Logger;
  /** What the log calls the handler. */
  readonly about: { readonly method: string; readonly name: string };
  /** Whether this very retry, with the state of the round before, brought an answer under the key. */
  isBrought(key: string): boolean;
  /** Whether a retry is used up as soon as an answer that it brought reaches the handler. */
  isCounted(): boolean;
  /** Told the key of each answer that reaches the handler. */
  answered(key: string): void;
  /** Ends the round: with the questions that wait, or with the error that the request gets. */
  conclude(end: RoundEnd): void;
}

/** How a round ended before its handler did. */
export type RoundEnd = { readonly asked: ReadonlyMap<string, Question<unknown>> } | { readonly error: ProtocolError };
