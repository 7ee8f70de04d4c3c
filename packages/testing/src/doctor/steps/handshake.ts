import type { Contact } from '../contact.ts';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, type Finding, ok } from '../finding.ts';
import { errorIn, type Heard, messageOf, resultIn } from '../heard.ts';
import { listeningFix, listeningUrl } from '../listening-url.ts';
import { tellingLines } from '../stderr-hints.ts';
import { toMs } from '../to-ms.ts';

/** Whether discovery, or the handshake of older revisions, comes to its end. */
export const handshakeStep: DoctorStep = {
  id: 'handshake',
  question: 'Does discovery or the handshake finish?',
  async run(site) {
    const contact = await site.contact();
    const { discover, initialize = discover, era } = contact;
    if (era === 'modern') return ok(`server/discover was answered after ${toMs(discover.elapsedMs)}.`);
    if (era === 'legacy') return ok(`initialize was answered after ${toMs(initialize.elapsedMs)}.`);
    if (era === 'sse') return ok('The stream of the older transport names its endpoint.');
    // What names a version is the next step's.
    if (speaksOfVersion(initialize)) return ok('It answers, and speaks of the version.');
    return judge(site, contact, initialize);
  },
};

/** Whether an error is about the revision. */
export function speaksOfVersion(heard: Heard): boolean {
  return /protocol[\s_-]?version|unsupported version/i.test(messageOf(errorIn(heard)));
}

function judge(site: DoctorSite, { discover, initialize }: Contact, heard: Heard): Finding {
  const evidence = [
    `server/discover: ${describe(site, discover)}`,
    ...(initialize === undefined ? [] : [`initialize: ${describe(site, initialize)}`]),
    ...tellingLines(site.process()?.stderr() ?? []).map((line) => `stderr: ${site.excerpt(line)}`),
  ];
  const otherId = discover.otherId ?? heard.otherId;
  if (otherId !== undefined) {
    return cause(
      'It answers under another id than it was asked.',
      [
        `the id of the request: ${discover.otherId === undefined ? 2 : 1}`,
        `the id of the answer: ${site.excerpt(otherId)}`,
      ],
      'Have the server send the id back exactly as it came: a number stays a number.',
    );
  }
  if (heard.failure?.kind === 'timeout') {
    const url = listeningUrl([...(site.process()?.stderr() ?? []), ...site.stray()]);
    if (url !== undefined)
      return cause('It is silent, and speaks of a URL.', evidence, listeningFix(site.excerpt(url, 150)));
    return cause(
      'It is silent: neither server/discover nor initialize was answered.',
      evidence,
      site.transport === 'stdio'
        ? 'Look whether it waits for something else first, such as a login, a database or a question on the ' +
            'terminal; whether it flushes stdout after each message (python -u); and whether it is an MCP server at all. ' +
            'A slow start gets more time with --timeout.'
        : 'Look whether the server waits for something behind it, and whether a proxy holds the answer back. A ' +
            'slow one gets more time with --timeout.',
    );
  }
  if (heard.failure !== undefined)
    return cause(
      'The connection ended in the middle of the handshake.',
      evidence,
      'Look at the log of the server: it ends on what it was asked.',
    );
  if (errorIn(heard) !== undefined && resultIn(discover) === undefined)
    return cause(
      'It refuses server/discover and initialize.',
      evidence,
      'Look whether it is an MCP server, and update the one of the two that is older.',
    );
  return cause(
    'Its answer is no greeting of any revision.',
    evidence,
    'Have server/discover answer supportedVersions and capabilities, or initialize answer protocolVersion, ' +
      'capabilities and serverInfo.',
  );
}

function describe(site: DoctorSite, heard: Heard): string {
  if (heard.failure !== undefined) {
    // Over HTTP what came belongs to the request.
    const isStray = site.transport === 'stdio' && heard.text !== '';
    return site.excerpt(`${heard.failure.message}${isStray ? `; meanwhile, to no request: ${heard.text}` : ''}`);
  }
  const error = errorIn(heard);
  if (error !== undefined) return site.excerpt(`error ${String(error['code'])}: ${messageOf(error)}`);
  return site.excerpt(heard.text === '' ? `HTTP ${heard.status} without a body` : heard.text);
}
