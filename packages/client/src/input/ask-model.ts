import {
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  describeMisfit,
  inputKinds,
  isJsonObject,
  type Shape,
} from '@switchyard/protocol';
import { readAs } from '../peer/read-as.ts';
import type { SampleAsk } from './ask.ts';
import { contentAt, whyNoAnswer, whyUnaskable } from './check-sampling.ts';
import { frozenCopy } from './frozen-copy.ts';
import { type Outcome, refusals } from './outcome.ts';
import { badQuestion, misshapen, noHandler, type Question, type QuestionSource } from './question.ts';

/**
 * Prepares a question to a model. `mayAsk` counts it.
 *
 * Spec: client/sampling (2026-07-28).
 */
export function askModel(
  source: QuestionSource,
  capabilities: ClientCapabilities,
  mayAsk: () => boolean,
): Question<SampleAsk> | Outcome {
  const { context, handlers, base } = source;
  const { sample } = handlers;
  if (sample === undefined) return noHandler(source, 'sample');
  const misfit = misshapen(source);
  if (misfit !== undefined) return misfit;
  const params = frozenCopy(source.params) as object as CreateMessageParams;
  const problem = whyUnaskable(params, capabilities);
  if (problem !== undefined) return badQuestion(source, problem);
  if (!mayAsk()) {
    return {
      failure: context.fail(
        'input-refused',
        'it asks for answers of a model more often than input.maxSamplesPerMinute allows, so it gets none.',
      ),
      error: refusals.tooOften,
    };
  }
  return {
    ask: { ...base, kind: 'sample', params },
    handler: 'sample',
    call: (shown) => sample.call(handlers, shown),
    tellsDeclined: false,
    check(answer) {
      const { result }: { readonly result: Shape<unknown> } = inputKinds['sampling/createMessage'];
      const reading = readAs(result as Shape<CreateMessageResult>, answer);
      if ('misfit' in reading) return { problem: `is no answer of a model: ${describeMisfit('it', reading.misfit)}` };
      const broken = whyNoAnswer(params, reading.value);
      if (broken !== undefined) return { problem: broken };
      const carried = contentAt(base.revision, reading.value);
      if ('problem' in carried) return carried;
      const { role, model, stopReason, _meta } = reading.value;
      const bare = {
        role,
        content: carried.content,
        model,
        ...(stopReason === undefined ? {} : { stopReason }),
        ...(isJsonObject(_meta) ? { _meta } : {}),
      };
      return { bare, shown: bare };
    },
  };
}
