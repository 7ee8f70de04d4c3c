import {
  errorCodes,
  httpHeaders,
  isJsonObject,
  isLegacyRevision,
  latestRevision,
  metaKeys,
} from '@switchyard/protocol';

import { rawClientInfo, type RawExchange } from '../raw/raw-client.ts';
import { modernMeta } from '../raw/modern-message.ts';
import type { Check } from './check.ts';
import { advised, failed, foreign, judge, passed, type Probe, skipped } from './probe.ts';
import { ask, type MultiRoundRequest } from './rounds.ts';
import { describeAnswer, errorOf, isRefused, resultOf } from './seen.ts';
import { type CheckSite, harmlessMethod } from './site.ts';

const good = modernMeta({ clientInfo: rawClientInfo });
const { [metaKeys.protocolVersion]: _version, ...withoutVersion } = good;
const { [metaKeys.clientCapabilities]: _capabilities, ...withoutCapabilities } = good;
const { [metaKeys.clientInfo]: _info, ...withoutInfo } = good;

/** Check 2: a request that does not carry its own metadata is refused, whatever was said before. */
export const metadataCheck: Check = {
  number: 2,
  name: 'metadata',
  title: 'Metadata on every request',
  asks: 'Each request carries its version and capabilities itself; one that lacks them is refused, also after good ones, and over HTTP the headers agree with the body.',
  spec: ['basic/index#meta', 'basic/index#statelessness', 'basic/transports/streamable-http#server-validation'],
  async run(site) {
    const { client } = site;
    const method = await harmlessMethod(site);
    const subjects = await subjectsOf(site);
    const probes: Probe[] = [...(await missingProbes(site, { method, params: {} }))];
    for (const subject of subjects) probes.push(...(await missingProbes(site, subject, ` on ${subject.method}`)));
    const anonymous = await client.send('metadata: no clientInfo', { method, params: { _meta: withoutInfo } });
    probes.push(
      resultOf(anonymous) === undefined
        ? failed(
            'no clientInfo',
            `${method} without the optional clientInfo got ${describeAnswer(anonymous)}`,
            anonymous,
          )
        : passed('no clientInfo', 'served: it is optional', anonymous),
    );
    probes.push(
      ...(client.transport === 'http'
        ? await headerProbes(site, method, subjects)
        : [foreign('headers', 'stdio has none')]),
    );
    return probes;
  },
};

/**
 * One of each method that may be called, the last one, which does the least: what is named comes first. A server may
 * look at what comes with lists, and not at what comes with calls.
 */
async function subjectsOf(site: CheckSite): Promise<readonly MultiRoundRequest[]> {
  const called = await site.called();
  return [...new Map(called.map(({ subject }) => [subject.method, subject])).values()];
}

async function missingProbes(
  { client }: CheckSite,
  { method, params, inputSchema }: MultiRoundRequest,
  where = '',
): Promise<readonly Probe[]> {
  const probes: Probe[] = [];
  for (const [missing, meta] of [
    ['no _meta', {}],
    ['no protocolVersion', { _meta: withoutVersion }],
    ['no clientCapabilities', { _meta: withoutCapabilities }],
  ] as const) {
    const what = `${missing}${where}`;
    const exchange = await client.send(
      `metadata: ${what}`,
      { method, params: { ...params, ...meta } },
      { inputSchema },
    );
    // What is served without any metadata does its work: it need not be served without a part of it.
    if (resultOf(exchange) !== undefined) return [...probes, failed(what, `${method} was served without it`, exchange)];
    probes.push(judge(what, refusalProblem(exchange), describeAnswer(exchange), exchange));
  }
  return probes;
}

function refusalProblem(exchange: RawExchange): string | undefined {
  return isRefused(exchange) ? undefined : `${describeAnswer(exchange)}, which refuses nothing`;
}

function mismatchProblem(exchange: RawExchange): string | undefined {
  const { code, status } = errorCodes.headerMismatch;
  return errorOf(exchange)?.['code'] === code && exchange.status === status
    ? undefined
    : `${describeAnswer(exchange)}; expected error ${code} with HTTP status ${status}`;
}

async function headerProbes(
  site: CheckSite,
  method: string,
  subjects: readonly MultiRoundRequest[],
): Promise<readonly Probe[]> {
  const { client, discovery } = site;
  const { protocolVersion, method: methodHeader } = httpHeaders;
  const supported = resultOf(await discovery())?.['supportedVersions'];
  const takesOld =
    Array.isArray(supported) && supported.some((version) => typeof version === 'string' && isLegacyRevision(version));
  const probes: Probe[] = [];
  for (const { what, headers, mayServe = false } of [
    { what: `no ${protocolVersion.name}`, headers: { [protocolVersion.key]: undefined }, mayServe: takesOld },
    { what: `another ${protocolVersion.name}`, headers: { [protocolVersion.key]: '2025-11-25' } },
    { what: `no ${methodHeader.name}`, headers: { [methodHeader.key]: undefined } },
    { what: `another ${methodHeader.name}`, headers: { [methodHeader.key]: 'tools/call' } },
  ]) {
    const params = { _meta: modernMeta({ clientInfo: rawClientInfo, version: latestRevision }) };
    const exchange = await client.send(`metadata: ${what}`, { method, params }, { headers });
    const isServed = isJsonObject(resultOf(exchange));
    if (!isServed) {
      // A server for old clients takes a request without the header for one of theirs, and says what they would be
      // told.
      const problem = mayServe ? refusalProblem(exchange) : mismatchProblem(exchange);
      probes.push(judge(what, problem, describeAnswer(exchange), exchange));
    } else if (mayServe)
      probes.push(advised(what, `${method} was served, which a server for old clients may do`, exchange));
    else probes.push(failed(what, `${method} was served although header and body do not agree`, exchange));
  }
  return [...probes, ...(await nameProbes(site, subjects))];
}

/** Whatever routes by the name of a tool, a prompt or a resource trusts that the server compares it. */
async function nameProbes({ client }: CheckSite, subjects: readonly MultiRoundRequest[]): Promise<readonly Probe[]> {
  const { name } = httpHeaders;
  if (subjects.length === 0) return [skipped(name.name, 'there is nothing that may be called')];
  const probes: Probe[] = [];
  for (const subject of subjects) {
    for (const [wrong, value] of [
      [`no ${name.name}`, undefined],
      [`another ${name.name}`, 'switchyard-another'],
    ] as const) {
      const what = `${wrong} on ${subject.method}`;
      const exchange = await ask(client, `metadata: ${what}`, subject, { headers: { [name.key]: value } });
      const problem =
        resultOf(exchange) === undefined
          ? mismatchProblem(exchange)
          : 'it was served although header and body do not agree';
      probes.push(judge(what, problem, describeAnswer(exchange), exchange));
    }
  }
  return probes;
}
