import { inputKinds, isJsonObject } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import type { Check } from './check.ts';
import { noAsking } from './no-asking.ts';
import { advised, failed, judge, passed, type Probe, skipped } from './probe.ts';
import { answersTo, ask, finishRounds, MAX_ROUNDS, nameOfSubject, retry } from './rounds.ts';
import { asksForInput, describeAnswer, errorOf, resultOf } from './seen.ts';
import type { Called, CheckSite } from './site.ts';

/** Check 6: a request for input is answered by the same request under a new id. */
export const retryCheck: Check = {
  number: 6,
  name: 'retry',
  title: 'Retry with a new id and unchanged state',
  asks: 'A request for input names what it wants as requests without id and carries its state; the same request again, with a new id, the answers and the state as it came, goes on from there.',
  spec: [
    'basic/patterns/mrtr#inputrequiredresult',
    'basic/patterns/mrtr#client-requirements-basic-workflow',
    'basic/patterns/mrtr#error-handling',
  ],
  async run(site) {
    const asking = await site.asking();
    if (asking === undefined) return [skipped('rounds', await noAsking(site))];
    const { subject } = asking;
    const label = `retry: ${nameOfSubject(subject)}`;
    const exchange = await ask(site.client, label, subject);
    if (!asksForInput(exchange))
      return [skipped('rounds', `asked again, it asked for no input: it got ${describeAnswer(exchange)}`)];
    const shape = judge('the request for input', shapeProblem(exchange), describeRequest(exchange), exchange);
    if (shape.verdict === 'failed') return [shape];
    const retries = await finishRounds(site.client, label, subject, exchange, { answers: site.calls.answers });
    return [shape, outcomeOf(retries), ...(await incomplete(site, asking, label))];
  },
};

/** Answers whether retries came to an end. */
export function outcomeOf(retries: readonly RawExchange[], where = ''): Probe {
  const what = `the retry${where}`;
  const last = retries.at(-1);
  if (last === undefined) return failed(what, 'there was nothing to retry');
  if (errorOf(last) !== undefined || resultOf(last) === undefined)
    return failed(what, `retry ${retries.length} got ${describeAnswer(last)}`, last);
  if (asksForInput(last)) return failed(what, `it still asks after ${MAX_ROUNDS} retries`, last);
  return passed(what, `complete after ${retries.length === 1 ? 'one retry' : `${retries.length} retries`}`, last);
}

function shapeProblem(exchange: RawExchange): string | undefined {
  const result = resultOf(exchange) ?? {};
  const { inputRequests, requestState } = result;
  if (inputRequests === undefined && requestState === undefined) return 'it has neither inputRequests nor requestState';
  if (requestState !== undefined && typeof requestState !== 'string') return 'requestState is no text';
  if (inputRequests === undefined) return undefined;
  if (!isJsonObject(inputRequests)) return 'inputRequests is no object';
  for (const [key, request] of Object.entries(inputRequests)) {
    const method = isJsonObject(request) ? request['method'] : undefined;
    if (!isJsonObject(request) || typeof method !== 'string' || !Object.hasOwn(inputKinds, method))
      return `${key} is no request that a client answers`;
    if (Object.hasOwn(request, 'id') || Object.hasOwn(request, 'jsonrpc'))
      return `${key} has an id or jsonrpc, as a request of its own would`;
  }
  return undefined;
}

function describeRequest(exchange: RawExchange): string {
  const { inputRequests, requestState } = resultOf(exchange) ?? {};
  const keys = isJsonObject(inputRequests) ? Object.keys(inputRequests) : [];
  const state = typeof requestState === 'string' ? `a state of ${requestState.length} characters` : 'no state';
  return `asks for ${keys.join(', ') || 'nothing'}, with ${state}`;
}

/** One answer is left out of a retry: it should be asked for again. */
async function incomplete({ client }: CheckSite, { subject }: Called, label: string): Promise<readonly Probe[]> {
  const what = 'a retry that lacks an answer';
  const asked = await ask(client, `${label}: asked again`, subject);
  const all = Object.entries(answersTo(asked));
  if (all.length === 0) return [skipped(what, 'nothing was asked for')];
  const exchange = await retry(client, `${label}: one answer missing`, subject, asked, {
    answers: Object.fromEntries(all.slice(0, -1)),
  });
  if (asksForInput(exchange)) return [passed(what, `asks again for ${all.at(-1)?.[0] ?? ''}`, exchange)];
  if (errorOf(exchange) === undefined) return [skipped(what, 'the request was served without it')];
  return [advised(what, `got ${describeAnswer(exchange)} instead of being asked again`, exchange)];
}
