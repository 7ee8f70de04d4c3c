import { type ElicitUrlParams, isJsonObject } from '@switchyard/protocol';
import type { UrlAsk } from './ask.ts';
import { displayText } from './display-text.ts';
import { inspectUrl } from './inspect-url.ts';
import type { Outcome } from './outcome.ts';
import { misshapen, noHandler, type Question, type QuestionSource } from './question.ts';

const MAX_MESSAGE_LENGTH = 4000;

/**
 * Prepares a page for the user's consent. A URL that must not be opened is declined and never shown.
 *
 * Spec: client/elicitation#url-mode-elicitation-requests (2026-07-28).
 */
export function askUrl(source: QuestionSource, completed: Promise<void> | undefined): Question<UrlAsk> | Outcome {
  const { context, handlers, base } = source;
  const { elicitUrl } = handlers;
  if (elicitUrl === undefined) return noHandler(source, 'elicitUrl', handlers.elicitForm !== undefined);
  const misfit = misshapen(source);
  if (misfit !== undefined) return misfit;
  const { message, url } = source.params as object as ElicitUrlParams;
  const inspected = inspectUrl(url);
  if ('problem' in inspected) {
    context.warn('input-declined', `asks to open a URL, which was declined without being shown: ${inspected.problem}.`);
    return { answer: { action: 'decline' } };
  }
  return {
    ask: { ...base, kind: 'url', message: displayText(message, MAX_MESSAGE_LENGTH), ...inspected, completed },
    handler: 'elicitUrl',
    call: (shown) => elicitUrl.call(handlers, shown),
    tellsDeclined: true,
    check(answer) {
      if (!isJsonObject(answer) || answer['action'] !== 'accept') {
        return { problem: 'must have an action: accept, decline or cancel' };
      }
      return { bare: { action: 'accept' }, shown: { action: 'accept' } };
    },
  };
}
