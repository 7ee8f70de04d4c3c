import { methodOf } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import type { Check } from './check.ts';
import { failed, passed, type Probe, skipped } from './probe.ts';
import { ask, finishRounds, nameOfSubject } from './rounds.ts';
import { resultOf, showValue } from './seen.ts';
import type { CheckSite, Unanswered } from './site.ts';

const MAX_FAILURES = 20;

/** Check 3: every result says what it is. */
export const resultTypeCheck: Check = {
  number: 3,
  name: 'result-type',
  title: 'Every result has a recognised resultType',
  asks: 'Each result has resultType: complete, or input_required where the method may ask for input; others only of an extension that both sides declared.',
  spec: ['basic/index#resulttype', 'basic/patterns/mrtr#supported-requests'],
  async run(site) {
    const pages = (await site.lists()).flatMap((list) => list.pages);
    const called = (await site.called()).map(({ exchange }) => exchange);
    const exchanges = [await site.discovery(), ...pages, ...called, ...(await retriesOf(site))].filter(
      (exchange) => resultOf(exchange) !== undefined,
    );
    const wrong = exchanges.flatMap((exchange): Probe[] => {
      const problem = problemOf(exchange);
      return problem === undefined ? [] : [failed(exchange.label, problem, exchange)];
    });
    const silent = (await site.unanswered()).map(silentProbe);
    if (wrong.length > 0) return [...wrong, ...silent].slice(0, MAX_FAILURES);
    if (exchanges.length === 0) return [skipped('results', 'there was no result to look at'), ...silent];
    return [passed('results', `${exchanges.length} results of ${methodsIn(exchanges).join(', ')}`), ...silent];
  },
};

/**
 * What takes too long, answers too much or wants other rights may have its reasons; a request whose connection is cut
 * has no answer at all.
 */
function silentProbe({ subject, error }: Unanswered): Probe {
  const name = nameOfSubject(subject);
  return error.code === 'unreachable' ? failed(name, error.message) : skipped(name, error.message);
}

/**
 * The answers to retries of what asks for input: their results come from another place than those of first requests.
 */
async function retriesOf({ client, calls, asking }: CheckSite): Promise<readonly RawExchange[]> {
  const asked = await asking();
  if (asked === undefined) return [];
  const { subject } = asked;
  const label = `result type: ${nameOfSubject(subject)}`;
  const again = await ask(client, label, subject);
  return [again, ...(await finishRounds(client, label, subject, again, { answers: calls.answers }))];
}

function methodsIn(exchanges: readonly RawExchange[]): readonly string[] {
  return [...new Set(exchanges.map(({ sent }) => String(sent['method'])))];
}

function problemOf(exchange: RawExchange): string | undefined {
  const { sent } = exchange;
  const type = resultOf(exchange)?.['resultType'];
  if (type === 'complete') return undefined;
  if (type === undefined) return 'the result has no resultType';
  if (type !== 'input_required') return `the resultType ${showValue(type)} is none that this client declared`;
  const method = String(sent['method']);
  return methodOf(method)?.mayRequireInput === true ? undefined : `${method} must not be answered with input_required`;
}
