import type { DoctorStep } from '../doctor-step.ts';
import { ok } from '../finding.ts';
import { judgeRefusal } from '../refused-access.ts';

/** Whether the server takes whoever calls, before anything is called. */
export const authenticationStep: DoctorStep = {
  id: 'authentication',
  question: 'Does it take who calls?',
  transport: 'http',
  async run(site) {
    const { discover, initialize } = await site.contact();
    const refused = [initialize, discover].find((heard) => heard?.status === 401 || heard?.status === 403);
    if (refused?.status === undefined || (initialize?.response !== undefined && initialize.status === 200))
      return ok(site.http().hasCredentials() ? 'It takes the credentials.' : 'It asks for no credentials.');
    const challenge = refused.header('www-authenticate') ?? '';
    return judgeRefusal(site, { status: refused.status, challenge, text: refused.text, what: 'the first request' });
  },
};
