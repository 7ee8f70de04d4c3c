import { ClientError } from '@switchyard/client';

import type { DoctorStep } from '../doctor-step.ts';
import { ok, skipped } from '../finding.ts';
import { judgeRefusedClient } from '../refused-access.ts';

/** Whether who calls may call this tool. */
export const permissionStep: DoctorStep = {
  id: 'permission',
  question: 'May it be called by whoever calls?',
  transport: 'http',
  async run(site) {
    if (site.tool === undefined) return skipped('No tool was named.');
    const called = await site.called();
    const error = 'error' in called ? called.error : undefined;
    if (!(error instanceof ClientError)) return ok('The call was let in.');
    const what = `the call of ${site.excerpt(site.tool.name, 60)}`;
    return judgeRefusedClient(site, error, what) ?? ok('Nothing says that it may not.');
  },
};
