import { type RawExchange, toTranscript, type Transcript } from '../../src/index.ts';

let lastId = 0;

/** One exchange of a call, under an id of its own. */
export function exchangeOf(
  label: string,
  params: object,
  result: object,
  more: Partial<RawExchange> = {},
): RawExchange {
  lastId += 7;
  const response = { jsonrpc: '2.0', id: lastId, result: { ...result } };
  const sent = { jsonrpc: '2.0', id: lastId, method: 'tools/call', params };
  return { label, instance: 1, sent, received: [response], response, stray: [], ...more };
}

/** The transcript of some exchanges over HTTP. */
export function transcriptOf(...exchanges: readonly RawExchange[]): Transcript {
  return toTranscript({ transport: 'http', exchanges });
}
