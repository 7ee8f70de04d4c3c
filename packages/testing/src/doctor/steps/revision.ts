import { errorCodes, everyRevision, isJsonObject, isLegacyRevision, isModernRevision } from '@switchyard/protocol';

import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, unknown } from '../finding.ts';
import { errorIn, type Heard, messageOf } from '../heard.ts';
import { speaksOfVersion } from './handshake.ts';

/** Whether there is a revision that both sides speak, and which. */
export const revisionStep: DoctorStep = {
  id: 'revision',
  question: 'Is there a revision that both speak?',
  async run(site) {
    const { discover, initialize = discover, era, greeting } = await site.contact();
    if (era === 'sse') return ok('2024-11-05, the oldest: it is still spoken.');
    const offered = offeredIn(discover, initialize, greeting?.['supportedVersions'] ?? greeting?.['protocolVersion']);
    if (era === undefined && !speaksOfVersion(initialize)) return unknown('The server did not say.');
    const mutual =
      era === undefined
        ? undefined
        : offered.find((each) => (era === 'modern' ? isModernRevision : isLegacyRevision)(each));
    if (mutual !== undefined)
      return ok(era === 'modern' ? `${mutual}, the current one.` : `${mutual}: an older revision, which is fine.`);
    const theirs =
      offered.length === 0 ? 'it does not say which' : offered.map((each) => site.excerpt(each, 40)).join(', ');
    const said = messageOf(errorIn(initialize) ?? errorIn(discover));
    return cause(
      'There is no revision that both sides speak.',
      [
        `the server: ${theirs}`,
        `this client: ${everyRevision.join(', ')}`,
        ...(said === '' ? [] : [`it said: ${site.excerpt(said)}`]),
      ],
      'Update the server or the client, whichever is older.',
    );
  },
};

/** What the server speaks, by whatever it said. */
function offeredIn(discover: Heard, initialize: Heard, greeted: unknown): readonly string[] {
  const refused = [discover, initialize]
    .map(errorIn)
    .find((error) => error?.['code'] === errorCodes.unsupportedProtocolVersion.code);
  const data = [errorIn(initialize), refused].map((error) => error?.['data']).find(isJsonObject);
  const value = greeted ?? data?.['supported'];
  return (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter((each): each is string => typeof each === 'string')
    .slice(0, 20);
}
