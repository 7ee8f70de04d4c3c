import { ClientError, type Listed } from '@switchyard/client';
import { nearestName, ProtocolError, type Tool } from '@switchyard/protocol';

import { clientEvidence } from '../client-evidence.ts';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, type Finding, ok, skipped } from '../finding.ts';
import { judgeRefusedClient } from '../refused-access.ts';

const MAX_NAMES = 20;

/** Whether the tool is listed, and listed so that a client takes it; without a tool, whether the list can be read. */
export const toolStep: DoctorStep = {
  id: 'tool',
  question: 'Is the tool listed?',
  async run(site) {
    const { capabilities } = await site.client();
    if (capabilities.tools === undefined) return skipped('It has no tools.');
    try {
      return judge(site, await site.tools());
    } catch (error) {
      const refused = judgeRefusedClient(site, error, 'tools/list');
      if (refused !== undefined) return refused;
      if (error instanceof ClientError && error.status === 429) return tooMany(site, error);
      if (!(error instanceof ClientError) && !(error instanceof ProtocolError)) throw error;
      return cause(
        'The list of tools cannot be read.',
        clientEvidence(site, error),
        'Mend tools/list of the server; the messages are shown by: switchyard check TARGET --only 1,4 --verbose',
      );
    }
  },
};

function tooMany(site: DoctorSite, error: ClientError): Finding {
  return cause(
    'The server answers that there were too many requests, so that the list of tools was not read.',
    clientEvidence(site, error),
    'Wait, and try again; where it goes on, ask whoever runs the server for a higher limit.',
  );
}

function judge(site: DoctorSite, { tools, leftOut }: Listed & { readonly tools: readonly Tool[] }): Finding {
  const names = tools.map(({ name }) => name);
  const shown = names.slice(0, MAX_NAMES).map((name) => site.excerpt(name, 60));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const out = leftOut.slice(0, MAX_NAMES).map(({ name, reason }) => site.excerpt(`left out: ${name}: ${reason}`));
  const { tool } = site;
  if (tool === undefined) {
    const count = names.length === 1 ? 'a tool' : `${names.length} tools`;
    return ok(`It lists ${count}; none was called, as --tool named none.`, [
      `tools: ${shown.join(', ')}${more}`,
      ...out,
    ]);
  }
  if (names.includes(tool.name)) return ok(`${site.excerpt(tool.name, 60)} is one of ${names.length}.`);
  const rejected = leftOut.find(({ name }) => name === tool.name);
  if (rejected !== undefined) {
    return cause(
      'The tool is listed, and its definition cannot be used.',
      [site.excerpt(`${rejected.name}: ${rejected.reason}`)],
      'Mend the definition of the tool: clients leave it out for that.',
    );
  }
  const near = nearestName(tool.name, names);
  return cause(
    `The server lists no tool ${JSON.stringify(site.excerpt(tool.name, 60))}.`,
    [`tools: ${shown.join(', ')}${more}`],
    near === undefined
      ? 'Name one of the tools that are listed, or look whether a setting or a permission hides it.'
      : `Did you mean ${site.excerpt(near, 60)}? Names are compared exactly.`,
  );
}
