import { httpHeaders, isJsonObject, latestRevision } from '@switchyard/protocol';

import type { RawClient } from '../raw/raw-client.ts';
import type { Check } from './check.ts';
import { advised, failed, foreign, judge, passed, type Probe } from './probe.ts';
import { describeAnswer, resultOf, serverRequestsOf } from './seen.ts';
import { type CheckSite, harmlessMethod } from './site.ts';

const MADE_UP = 'switchyard-check-made-this-up';
const FRESH_PROCESS = 3;
/** The one status of servers that is said of a method, and not of a server that broke down. */
const NOT_IMPLEMENTED = 501;

/** Check 9: nothing of what older revisions had around a request. */
export const noSessionCheck: Check = {
  number: 9,
  name: 'no-session',
  title: 'No session, GET, DELETE or resumption',
  asks: 'There is no handshake and no session id; GET and DELETE are refused, Last-Event-ID is ignored, and a server sends no requests of its own.',
  spec: [
    'basic/index#statelessness',
    'basic/transports/streamable-http#earlier-streamable-http-revisions',
    'basic/transports/streamable-http#receiving-messages',
  ],
  async run(site) {
    await site.discovery();
    const probes = site.client.transport === 'http' ? await overHttp(site) : await overStdio(site);
    // Last, so that the answers to these probes are looked at as well.
    const session = site.client.transport === 'http' ? [sessionProbe(site.client)] : [];
    const own = site.client.exchanges.find((exchange) => serverRequestsOf(exchange).length > 0);
    const method = own === undefined ? '' : String(serverRequestsOf(own)[0]?.['method']);
    const wrong = own === undefined ? undefined : `it sent a request of its own: ${method}`;
    return [
      ...session,
      ...probes,
      judge('requests of the server', wrong, `none in ${site.client.exchanges.length} answers`, own),
    ];
  },
};

async function overHttp(site: CheckSite): Promise<readonly Probe[]> {
  const { client } = site;
  const probes: Probe[] = [];
  for (const [header, what] of [
    [httpHeaders.sessionId, 'a made-up session id'],
    [httpHeaders.lastEventId, 'a made-up event id'],
  ] as const) {
    const exchange = await client.request(
      `no session: ${what}`,
      'server/discover',
      {},
      { headers: { [header.key]: MADE_UP } },
    );
    const isServed = isJsonObject(resultOf(exchange));
    probes.push(
      judge(
        what,
        isServed ? undefined : `${header.name} was not ignored: ${describeAnswer(exchange)}`,
        'ignored',
        exchange,
      ),
    );
  }
  for (const method of ['GET', 'DELETE']) probes.push(await headProbe(client, method));
  return probes;
}

function sessionProbe({ exchanges }: RawClient): Probe {
  const withSession = exchanges.find(({ headers }) => headers?.[httpHeaders.sessionId.key] !== undefined);
  const wrong = withSession === undefined ? undefined : `an answer carries ${httpHeaders.sessionId.name}`;
  return judge('session id', wrong, 'no answer carries one', withSession);
}

async function headProbe(client: RawClient, method: string): Promise<Probe> {
  const exchange = await client.head(`no session: ${method}`, method, {
    [httpHeaders.protocolVersion.key]: latestRevision,
    [httpHeaders.sessionId.key]: MADE_UP,
    [httpHeaders.lastEventId.key]: MADE_UP,
  });
  const status = exchange?.status ?? 0;
  if (status < 400) return failed(method, `HTTP ${status}; the endpoint takes POST alone`, exchange);
  if (status === 405) return passed(method, 'HTTP 405', exchange);
  if (status >= 500 && status !== NOT_IMPLEMENTED)
    return failed(method, `HTTP ${status}, which refuses nothing`, exchange);
  return advised(method, `refused with HTTP ${status}; 405 says that there is no such method`, exchange);
}

async function overStdio(site: CheckSite): Promise<readonly Probe[]> {
  const what = 'the first message of a fresh process';
  const method = await harmlessMethod(site);
  const exchange = await site.client.request('no session: fresh process', method, {}, { instance: FRESH_PROCESS });
  const wrong = resultOf(exchange) === undefined ? `without a handshake it got ${describeAnswer(exchange)}` : undefined;
  return [
    judge(what, wrong, 'served without a handshake', exchange),
    foreign('GET, DELETE, resumption', 'stdio has none'),
  ];
}
