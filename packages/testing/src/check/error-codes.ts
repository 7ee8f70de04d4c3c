import { errorCodes, type ErrorName, inputKinds, isJsonObject, type JsonObject, metaKeys } from '@switchyard/protocol';

import { rawClientInfo, type RawExchange } from '../raw/raw-client.ts';
import { modernMeta } from '../raw/modern-message.ts';
import type { Check } from './check.ts';
import { noAsking } from './no-asking.ts';
import { failed, judge, passed, type Probe, skipped } from './probe.ts';
import { ask, nameOfSubject } from './rounds.ts';
import { asksForInput, describeAnswer, errorOf, resultOf, showValue } from './seen.ts';
import { type CheckSite, harmlessMethod } from './site.ts';

const OLD_VERSION = '1900-01-01';
const MAX_TRIED = 10;

/** Check 5: three mistakes of a client, three codes. */
export const errorCodesCheck: Check = {
  number: 5,
  name: 'error-codes',
  title: 'Distinct codes for missing metadata, version and capability',
  asks: 'Missing metadata is -32602, an unsupported version -32022 with the supported ones, a capability that is not declared -32021 with what is required; over HTTP each has status 400.',
  spec: [
    'basic/index#error-codes',
    'basic/index#meta',
    'basic/versioning#protocol-version-negotiation',
    'basic/patterns/mrtr#server-requirements-basic-workflow',
  ],
  run: async (site) => [await metadataProbe(site), await versionProbe(site), ...(await capabilityProbes(site))],
};

async function metadataProbe(site: CheckSite): Promise<Probe> {
  const what = 'missing metadata';
  const { [metaKeys.clientCapabilities]: _left, ...meta } = modernMeta({ clientInfo: rawClientInfo });
  const method = await harmlessMethod(site);
  const exchange = await site.client.send('codes: no clientCapabilities', { method, params: { _meta: meta } });
  if (resultOf(exchange) !== undefined) return skipped(what, 'the request was served, see check 2');
  return judge(what, codeProblem(exchange, 'invalidParams', 400), describeAnswer(exchange), exchange);
}

async function versionProbe(site: CheckSite): Promise<Probe> {
  const what = 'unsupported version';
  const exchange = await site.client.request(
    'codes: unsupported version',
    'server/discover',
    {},
    { version: OLD_VERSION },
  );
  const problem =
    codeProblem(exchange, 'unsupportedProtocolVersion') ?? versionProblem(errorOf(exchange), await supportedBy(site));
  return judge(what, problem, `${describeAnswer(exchange)}, with the supported versions`, exchange);
}

async function supportedBy({ discovery }: CheckSite): Promise<readonly unknown[]> {
  const supported = resultOf(await discovery())?.['supportedVersions'];
  return Array.isArray(supported) ? (supported as unknown[]) : [];
}

function versionProblem(error: JsonObject | undefined, discovered: readonly unknown[]): string | undefined {
  const data = isJsonObject(error?.['data']) ? error['data'] : {};
  const { supported, requested } = data;
  if (!Array.isArray(supported) || supported.length === 0) return 'data.supported names no version';
  if (!supported.every((version) => discovered.includes(version)))
    return `data.supported names versions that server/discover does not: ${showValue(supported)}`;
  return requested === OLD_VERSION
    ? undefined
    : `data.requested is ${showValue(requested)} instead of the version of the request`;
}

async function capabilityProbes(site: CheckSite): Promise<readonly Probe[]> {
  const what = 'capability that is not declared';
  const asking = (await site.called()).filter(({ exchange }) => asksForInput(exchange)).slice(0, MAX_TRIED);
  if (asking.length === 0) return [skipped(what, await noAsking(site))];
  const probes: Probe[] = [];
  for (const { subject, exchange: asked } of asking) {
    const label = `codes: nothing declared: ${nameOfSubject(subject)}`;
    const exchange = await ask(site.client, label, subject, { capabilities: {} });
    probes.push(capabilityProbe(what, exchange, asked));
  }
  const decided = probes.filter(({ verdict }) => verdict !== 'skipped');
  return decided.length === 0 ? probes.slice(0, 1) : decided;
}

function capabilityProbe(what: string, exchange: RawExchange, asked: RawExchange): Probe {
  if (asksForInput(exchange)) return failed(what, `it asks all the same for ${kindsIn(exchange).join(', ')}`, exchange);
  if (errorOf(exchange) === undefined)
    return skipped(what, `the request was served without: ${describeAnswer(exchange)}`);
  const problem = codeProblem(exchange, 'missingRequiredClientCapability') ?? requiredProblem(exchange, asked);
  return problem === undefined
    ? passed(what, `${describeAnswer(exchange)}, with what is required`, exchange)
    : failed(what, problem, exchange);
}

function requiredProblem(exchange: RawExchange, asked: RawExchange): string | undefined {
  const data = errorOf(exchange)?.['data'];
  const required = isJsonObject(data) ? data['requiredCapabilities'] : undefined;
  if (!isJsonObject(required)) return 'data.requiredCapabilities is no object of capabilities';
  const kinds = kindsIn(asked);
  return kinds.some((kind) => Object.hasOwn(required, kind))
    ? undefined
    : `data.requiredCapabilities names ${Object.keys(required).join(', ') || 'nothing'}, and it had asked for ${kinds.join(', ')}`;
}

/** The capabilities that the requests for input of a result need. */
function kindsIn(exchange: RawExchange): readonly string[] {
  const requests = resultOf(exchange)?.['inputRequests'];
  if (!isJsonObject(requests)) return [];
  const kinds = Object.values(requests).map((request) => {
    const method = isJsonObject(request) ? request['method'] : undefined;
    return typeof method === 'string' && Object.hasOwn(inputKinds, method) ? method.split('/')[0] : undefined;
  });
  return [...new Set(kinds.filter((kind) => kind !== undefined))];
}

function codeProblem(
  exchange: RawExchange,
  name: ErrorName,
  status: number = errorCodes[name].status,
): string | undefined {
  const { code } = errorCodes[name];
  const seen = errorOf(exchange)?.['code'];
  const expected = `expected error ${code}${exchange.status === undefined ? '' : ` with HTTP status ${status}`}`;
  return seen === code && (exchange.status ?? status) === status
    ? undefined
    : `${describeAnswer(exchange)}; ${expected}`;
}
