import { errorCodes, isJsonObject, type JsonObject, latestRevision, metaKeys } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import type { Check } from './check.ts';
import { advised, judge, type Probe } from './probe.ts';
import { describeAnswer, errorOf, resultOf, showValue } from './seen.ts';
import { type CheckSite, families } from './site.ts';

/**
 * Each optional family of methods, with a list that every member of it answers: templates are in the family of
 * resources.
 */
const probed = families.filter(({ method }) => method !== 'resources/templates/list');

/** Check 1: discovery says what the server is, exactly. */
export const discoveryCheck: Check = {
  number: 1,
  name: 'discovery',
  title: 'Discovery is exact',
  asks: 'server/discover answers the versions and capabilities of the server, every advertised family of methods is served and every other one is an unknown method.',
  spec: ['server/discover#discoverresult', 'basic/versioning#protocol-version-negotiation', 'basic/index#error-codes'],
  async run(site) {
    const exchange = await site.discovery();
    const discovered = judge('server/discover', problemOf(exchange), describe(exchange), exchange);
    return [discovered, ...(await familiesOf(site)), ...adviceOn(exchange)];
  },
};

function problemOf(exchange: RawExchange): string | undefined {
  const result = resultOf(exchange);
  if (result === undefined) return `it was answered with ${describeAnswer(exchange)}`;
  const { supportedVersions, capabilities } = result;
  if (!Array.isArray(supportedVersions) || supportedVersions.length === 0 || !supportedVersions.every(isText))
    return 'supportedVersions is no list of versions';
  if (!supportedVersions.includes(latestRevision))
    return `supportedVersions lacks ${latestRevision}, in which it was asked and answered`;
  if (!isJsonObject(capabilities)) return 'capabilities is no object';
  const wrong = Object.keys(capabilities).find((name) => !isJsonObject(capabilities[name]));
  return wrong === undefined ? undefined : `capabilities.${wrong} is ${showValue(capabilities[wrong])}, and no object`;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function describe(exchange: RawExchange): string {
  const { supportedVersions, capabilities } = resultOf(exchange) ?? {};
  const names = isJsonObject(capabilities) ? Object.keys(capabilities) : [];
  return `versions ${Array.isArray(supportedVersions) ? showValue(supportedVersions) : 'none'}; capabilities ${names.join(', ') || 'none'}`;
}

async function familiesOf({ client, capabilities }: CheckSite): Promise<readonly Probe[]> {
  const declared = await capabilities();
  const probes: Probe[] = [];
  for (const { capability, method, member } of probed) {
    const exchange = await client.request(`discovery: ${method}`, method);
    if (isJsonObject(declared[capability])) {
      const listed = resultOf(exchange)?.[member];
      const wrong = Array.isArray(listed)
        ? undefined
        : `${capability} is advertised, but ${method} got ${describeAnswer(exchange)}${resultOf(exchange) === undefined ? '' : ` without a list ${member}`}`;
      probes.push(judge(method, wrong, `${capability} is advertised and served`, exchange));
    } else {
      const wrong = unknownProblem(exchange, `${capability} is not advertised, but ${method}`);
      probes.push(judge(method, wrong, `${capability} is neither advertised nor served`, exchange));
    }
  }
  const unknown = await client.request('discovery: unknown method', 'switchyard/unknown');
  probes.push(judge('unknown method', unknownProblem(unknown, 'an unknown method'), describeAnswer(unknown), unknown));
  return probes;
}

function unknownProblem(exchange: RawExchange, what: string): string | undefined {
  const { code, status } = errorCodes.methodNotFound;
  const isRefused = errorOf(exchange)?.['code'] === code && (exchange.status ?? status) === status;
  return isRefused
    ? undefined
    : `${what} got ${describeAnswer(exchange)} instead of error ${code}, over HTTP with status ${status}`;
}

function adviceOn(exchange: RawExchange): readonly Probe[] {
  const result = resultOf(exchange);
  if (result === undefined) return [];
  const meta: JsonObject = isJsonObject(result['_meta']) ? result['_meta'] : {};
  return [
    ...(isJsonObject(meta[metaKeys.serverInfo])
      ? []
      : [advised('identity', `_meta has no ${metaKeys.serverInfo}`, exchange)]),
    ...(Object.hasOwn(result, 'serverInfo')
      ? [advised('identity', 'serverInfo stands in the body, where this revision has none', exchange)]
      : []),
  ];
}
