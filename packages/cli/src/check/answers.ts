import { isJsonObject } from '@switchyard/protocol';
import { type InputAnswers, type RawClient, resultOf } from '@switchyard/testing';

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
