import { httpHeaders } from '@switchyard/protocol';

import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped } from '../finding.ts';
import { errorIn } from '../heard.ts';
import { headersFix, isMismatch, showMismatch } from '../lost-headers.ts';

/** Whether the headers that repeat a request arrive as they were sent. */
export const headersStep: DoctorStep = {
  id: 'headers',
  question: 'Do the Mcp headers arrive?',
  transport: 'http',
  async run(site) {
    const { discover, era } = await site.contact();
    const error = errorIn(discover);
    if (isMismatch(error)) {
      return cause(
        `It looks as if a proxy drops or changes a header: ${httpHeaders.protocolVersion.name} and ` +
          `${httpHeaders.method.name} were sent as the specification says.`,
        [showMismatch(site, error, discover.status)],
        headersFix,
      );
    }
    return era === 'modern' ? ok('They do.') : skipped('Servers of older revisions do not say.');
  },
};
