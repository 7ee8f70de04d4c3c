import { ClientError } from '@switchyard/client';
import {
  httpHeaders,
  ProtocolError,
  sendsVersionHeader,
  type JsonObject,
  type LegacyRevision,
} from '@switchyard/protocol';

import { clientEvidence } from '../client-evidence.ts';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, type Finding, ok } from '../finding.ts';
import { errorIn, messageOf } from '../heard.ts';
import { judgeRefusedClient } from '../refused-access.ts';

const SESSION = /session|not initialized|initialized first/i;

/** Whether a client gets a conversation that goes on after its first words. */
export const sessionStep: DoctorStep = {
  id: 'session',
  question: 'Does the conversation go on?',
  async run(site) {
    const lost = await lostSession(site);
    if (lost !== undefined) return lost;
    try {
      await site.client();
      return ok('It does.');
    } catch (error) {
      const refused = judgeRefusedClient(site, error, 'what came after the first request');
      if (refused !== undefined) return refused;
      if (!(error instanceof ClientError) && !(error instanceof ProtocolError)) throw error;
      return cause(
        'It answers the first words, and a client gets no further.',
        clientEvidence(site, error),
        'Mend what the message names; the messages that were sent and came are shown by: switchyard check TARGET ' +
          '--verbose',
      );
    }
  },
};

/** Over HTTP a legacy server knows a conversation by a header alone, which has to come through both ways. */
async function lostSession(site: DoctorSite): Promise<Finding | undefined> {
  const { era, greeting, sessionId } = await site.contact();
  if (site.transport !== 'http' || era !== 'legacy') return undefined;
  const { key, name } = httpHeaders.sessionId;
  const version = greeting?.['protocolVersion'] as LegacyRevision;
  const headers = {
    ...(sessionId === undefined ? {} : { [key]: sessionId }),
    ...(sendsVersionHeader(version) ? { [httpHeaders.protocolVersion.key]: version } : {}),
  };
  await site.http().ask({ message: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers });
  const heard = await site
    .http()
    .ask({ message: { jsonrpc: '2.0', id: 3, method: 'ping' } satisfies JsonObject, headers });
  const said = messageOf(errorIn(heard)) || heard.text;
  const words = said === '' ? '' : `, ${site.excerpt(said)}`;
  const evidence = [
    sessionId === undefined ? `initialize was answered without ${name}` : `initialize was answered with ${name}`,
    `ping ${sessionId === undefined ? 'without' : 'with'} it: HTTP ${heard.status ?? 'none'}${words}`,
  ];
  const isLost = (heard.status === 400 || heard.status === 404) && (heard.status === 404 || SESSION.test(said));
  if (!isLost) return undefined;
  if (sessionId === undefined) {
    return cause(
      `It looks as if a proxy drops ${name} from answers: the server wants a session, and none came.`,
      evidence,
      `Have the proxy pass ${name} on in both directions; for browsers, expose it with Access-Control-Expose-Headers.`,
    );
  }
  return heard.status === 400
    ? cause(
        `It looks as if a proxy drops ${name} from requests: it was sent, and the server misses it.`,
        evidence,
        `Have the proxy pass ${name} on in both directions.`,
      )
    : cause(
        'The server does not know the session that it just gave out.',
        evidence,
        'Several instances may share the address: have the balancer send a session to the instance that made it, ' +
          'or keep sessions where all find them.',
      );
}
