import { httpHeaders, isJsonObject, isLegacyRevision, latestRevision, metaKeys } from '@switchyard/protocol';

import { clientInfo } from '../wire/conversation.ts';
import { modernMeta } from '../wire/modern-message.ts';
import type { Check } from './check.ts';
import { advised, failed, foreign, passed, type Probe } from './probe.ts';
import { describeAnswer, errorOf, resultOf } from './seen.ts';
import type { CheckSite } from './site.ts';

const good = modernMeta({ clientInfo });
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
    const { conversation } = site;
    const method = await methodOf(site);
    const probes: Probe[] = [];
    for (const { what, params } of [
      { what: 'no _meta', params: {} },
      { what: 'no protocolVersion', params: { _meta: withoutVersion } },
      { what: 'no clientCapabilities', params: { _meta: withoutCapabilities } },
    ]) {
      const exchange = await conversation.send(`metadata: ${what}`, { method, params });
      probes.push(
        errorOf(exchange) === undefined && resultOf(exchange) !== undefined
          ? failed(what, `${method} was served without it`, exchange)
          : passed(what, describeAnswer(exchange), exchange),
      );
    }
    const anonymous = await conversation.send('metadata: no clientInfo', { method, params: { _meta: withoutInfo } });
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
      ...(conversation.transport === 'http'
        ? await headerProbes(site, method)
        : [foreign('headers', 'stdio has none')]),
    );
    return probes;
  },
};

/** A method that the server serves and whose answer has no effect. */
async function methodOf(site: CheckSite): Promise<string> {
  const [list] = await site.lists();
  return list?.method ?? 'server/discover';
}

async function headerProbes({ conversation, discovery }: CheckSite, method: string): Promise<readonly Probe[]> {
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
    const params = { _meta: modernMeta({ clientInfo, version: latestRevision }) };
    const exchange = await conversation.send(`metadata: ${what}`, { method, params }, { headers });
    const isServed = isJsonObject(resultOf(exchange));
    if (!isServed) probes.push(passed(what, describeAnswer(exchange), exchange));
    else if (mayServe)
      probes.push(advised(what, `${method} was served, which a server for old clients may do`, exchange));
    else probes.push(failed(what, `${method} was served although header and body do not agree`, exchange));
  }
  return probes;
}
