import { metaKeys, type Request, type Result, stringifyJson } from '@switchyard/protocol';

import { type Endpoint, Serialised } from './endpoint.ts';

/** Renders a result as the JSON text of the response to its request. What it throws is answered as an error. */
export type Envelope = (request: Request, result: Result | Serialised) => string;

/**
 * Answers the function that wraps a result; what is the same in every response is serialised once. Of the server's info
 * each response carries what is required, name and version, unless the result says more.
 *
 * Spec: schema#resultmetaobject, schema#implementation (2026-07-28).
 */
export function createEnvelope(endpoint: Endpoint): Envelope {
  const { name, version } = endpoint.info;
  const serverInfo = { [metaKeys.serverInfo]: { name, version } };
  const head = `"resultType":"complete","_meta":${JSON.stringify(serverInfo)}`;
  const enveloped = (opening: string, json: string): string =>
    json === '{}' ? `${opening}{${head}}}` : `${opening}{${head},${json.slice(1)}}`;
  return ({ id }, result) => {
    const opening = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    if (result instanceof Serialised) return enveloped(opening, result.json);
    if (result.resultType === undefined && result._meta === undefined) {
      const json = stringifyJson(result);
      if (!json.startsWith('{')) throw new TypeError('a result must be written as a JSON object');
      return enveloped(opening, json);
    }
    return `${opening}${stringifyJson({ resultType: 'complete', ...result, _meta: { ...serverInfo, ...result._meta } })}}`;
  };
}
