import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok } from '../finding.ts';
import { stdoutFix } from './stdout.ts';

const MAX_LINES = 5;

/** Whether it stayed clean while the server worked: a tool that prints shows only then. */
export const stdoutLaterStep: DoctorStep = {
  id: 'stdout-later',
  question: 'Does stdout stay clean while it works?',
  transport: 'stdio',
  async run(site) {
    await site.client();
    const junk = site.warnings.filter(({ code }) => code === 'junk-output');
    if (junk.length === 0)
      return ok(site.tool === undefined ? 'It did while tools were listed.' : 'It did, also during the call.');
    return cause(
      'Lines that are no messages came while the server worked.',
      junk.slice(0, MAX_LINES).map(({ message }) => site.excerpt(message)),
      stdoutFix,
    );
  },
};
