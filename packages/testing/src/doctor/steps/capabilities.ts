import { ProtocolError } from '@switchyard/protocol';

import { ClientError } from '@switchyard/client';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok } from '../finding.ts';

/** Whether the server declares what it has: clients ask for nothing else. */
export const capabilitiesStep: DoctorStep = {
  id: 'capabilities',
  question: 'Are its capabilities declared?',
  async run(site) {
    const { capabilities } = await site.client();
    const declared = Object.keys(capabilities).map((name) => site.excerpt(name, 40));
    const said = declared.length === 0 ? 'none' : declared.slice(0, 20).join(', ');
    if (capabilities.tools !== undefined) return ok(`It declares ${said}.`);
    const undeclared = await listAnyhow(site);
    if (undeclared > 0) {
      return cause(
        `It has ${undeclared === 1 ? 'a tool' : `${undeclared} tools`}, and does not declare the capability tools.`,
        [`declared: ${said}`, `tools/list answered ${undeclared}`],
        'Have the server declare tools: {} among its capabilities: clients do not ask a server for what it does ' +
          'not declare.',
      );
    }
    if (site.tool === undefined) return ok(`It declares ${said}, and has no tools.`);
    return cause(
      'It declares no tools, and has none.',
      [`declared: ${said}`],
      'Look whether this is the server that has the tool, and whether a setting of it switches its tools on.',
    );
  },
};

/** How many tools it answers that says it has none. */
async function listAnyhow(site: DoctorSite): Promise<number> {
  try {
    return (await site.tools()).tools.length;
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof ClientError) return 0;
    throw error;
  }
}
