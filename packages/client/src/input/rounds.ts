import {
  describeMisfit,
  type InputRequiredResult,
  inputRequiredResult,
  isJsonObject,
  type JsonObject,
  methodOf,
  type MethodName,
  ProtocolError,
  type Revision,
} from '@switchyard/protocol';
import { ClientError, withEffect } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { readAs } from '../peer/read-as.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { InputAnswerer, InputResponses } from './input-answerer.ts';
import { askRequiredPages, requiresPages } from './required-pages.ts';
import type { Hold } from '../timing/hold.ts';

/** What the rounds of a request need. */
export interface RoundsOptions {
  readonly context: PeerContext;
  readonly input: InputAnswerer;
  readonly maxRounds: number;
  readonly revision: Revision;
  readonly signal: AbortSignal;
  /** Aborts when the client is closed, which ends no request while a person thinks. */
  readonly closing: AbortSignal;
  /** Runs what a person may think about, while time stands still. */
  readonly hold: Hold;
  /** Told of each round after the first, before it is sent. */
  readonly onRound: () => void;
}

/** How a request is sent, and its result read. */
interface RoundsSteps<T> {
  readonly send: (params: JsonObject) => Promise<JsonObject>;
  /** Takes the result that asks for nothing. */
  readonly read: (result: JsonObject) => T;
}

/** Rounds unless the handlers say otherwise. */
export const DEFAULT_MAX_ROUNDS = 16;

/**
 * Sends a request, and sends it again with what the server asks for, until the result is another one, and answers what
 * `read` makes of that. `send` sends the params that it gets under a new id, with the same metadata each time. Only the retry of this request carries the
 * answers, and the state where the last result had one, exactly as it came. A result with a state alone is followed at
 * once. Rejects as `send` and the answerer do, and with code `too-many-rounds` or `invalid-response`.
 *
 * Spec: basic/patterns/mrtr#client-requirements (2026-07-28).
 */
export async function sendInRounds<T>(
  options: RoundsOptions,
  method: MethodName,
  params: JsonObject,
  { send, read }: RoundsSteps<T>,
): Promise<T> {
  const mayAsk = methodOf(method)?.mayRequireInput === true;
  let asked = params;
  let sent = params;
  let hasAsked = false;
  try {
    for (let round = 1; ; round += 1) {
      let result: JsonObject;
      try {
        result = await send(sent);
      } catch (error) {
        if (!(error instanceof ProtocolError) || !requiresPages(options.revision, error)) throw error;
        assertAnotherRound(options, method, round);
        await visitPages(options, error, { method, params: asked, round });
        options.onRound();
        continue;
      }
      if (!mayAsk || result['resultType'] !== 'input_required') return read(result);
      // What a person is shown is what goes out again, whatever the caller does with his own meanwhile.
      if (!hasAsked) asked = frozenCopy(params);
      hasAsked = true;
      assertAnotherRound(options, method, round);
      sent = { ...asked, ...(await answerAll(options, result, { method, params: asked, round })) };
      options.onRound();
    }
  } catch (error) {
    // The server came as far as its question, whatever it did before that.
    throw hasAsked && error instanceof ClientError ? withEffect(error, true) : error;
  }
}

/** What is asked in one round, and where. */
interface Round {
  readonly method: MethodName;
  readonly params: JsonObject;
  readonly round: number;
}

/** Has a user visit the pages that a legacy server requires before it carries the request out. */
async function visitPages(options: RoundsOptions, error: ProtocolError, round: Round): Promise<void> {
  const { context, input, revision, signal, closing } = options;
  const origin = { revision, ...round };
  try {
    await withAnySignal([signal, closing], (until) =>
      options.hold(() => askRequiredPages(context, input, { error, origin, signal: until })),
    );
  } catch (failure) {
    // The server refused before it began.
    throw failure instanceof ClientError ? withEffect(failure, false) : failure;
  }
  signal.throwIfAborted();
}

/** Answers what the retry of a request carries beyond its params. */
async function answerAll(options: RoundsOptions, result: JsonObject, round: Round): Promise<JsonObject> {
  const { context, input, signal, closing } = options;
  const { inputRequests, requestState } = readInputRequired(context, round.method, result);
  const origin = { revision: options.revision, ...round };
  const inputResponses: InputResponses | undefined =
    inputRequests === undefined
      ? undefined
      : await withAnySignal([signal, closing], (until) =>
          options.hold(() => input.answer(inputRequests, origin, until)),
        );
  signal.throwIfAborted();
  return {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

function assertAnotherRound({ context, maxRounds }: RoundsOptions, method: MethodName, round: number): void {
  if (round <= maxRounds) return;
  throw context.fail(
    'too-many-rounds',
    `it still asks for input after ${maxRounds} rounds of ${method}, so that was given up. ` +
      'Look whether the server takes the answers, or raise input.maxRounds.',
  );
}

/**
 * Reads a result that asks for input; `null` counts as absent, and so do no requests at all. Throws a `ClientError` with
 * code `invalid-response` for one that asks for nothing, or has another shape.
 */
export function readInputRequired(context: PeerContext, method: string, result: JsonObject): InputRequiredResult {
  const { inputRequests, requestState, _meta } = result;
  const asksNothing = isJsonObject(inputRequests) && Object.keys(inputRequests).length === 0;
  const present = {
    resultType: 'input_required',
    ...(inputRequests === undefined || inputRequests === null || asksNothing ? {} : { inputRequests }),
    ...(requestState === undefined || requestState === null ? {} : { requestState }),
    ...(isJsonObject(_meta) ? { _meta } : {}),
  };
  const reading = readAs(inputRequiredResult, present);
  const misfit = 'misfit' in reading ? describeMisfit('result', reading.misfit) : undefined;
  const isEmpty = !('inputRequests' in present) && !('requestState' in present);
  if ('value' in reading && !isEmpty) return reading.value;
  throw context.fail(
    'invalid-response',
    `its result of ${method} asks for input in a way that cannot be followed: ` +
      `${misfit ?? 'it has neither inputRequests nor a requestState'}.`,
  );
}
