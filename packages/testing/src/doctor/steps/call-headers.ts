import { errorCodes, httpHeaders, ProtocolError } from '@switchyard/protocol';

import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped } from '../finding.ts';
import { headersFix, showMismatch } from '../lost-headers.ts';

/** Whether the headers that only a call has arrive, too. */
export const callHeadersStep: DoctorStep = {
  id: 'call-headers',
  question: 'Do the headers of the call arrive?',
  transport: 'http',
  async run(site) {
    if (site.tool === undefined) return skipped('No tool was named.');
    const { era } = await site.contact();
    if (era !== 'modern') return skipped('Older revisions have none.');
    const called = await site.called();
    const error = 'error' in called ? called.error : undefined;
    if (!(error instanceof ProtocolError) || error.code !== errorCodes.headerMismatch.code) return ok('They do.');
    return cause(
      `It looks as if a proxy drops or changes ${httpHeaders.name.name} or an Mcp-Param header: all were sent as ` +
        'the specification says.',
      [showMismatch(site, { message: error.message }, error.status)],
      headersFix,
    );
  },
};
