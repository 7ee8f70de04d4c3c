import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped } from '../finding.ts';
import { toMs } from '../to-ms.ts';
import { bufferingFix } from './streaming.ts';

/** Shorter calls say nothing: all of them may well fall into one moment. */
const MIN_CALL_MS = 500;
/** Which part of the call the reports had to wait for. */
const LATE = 0.9;

/** Whether the reports of a tool come while it works: a proxy that holds streams back lets them go at the end. */
export const progressStep: DoctorStep = {
  id: 'progress',
  question: 'Does its progress come while it works?',
  transport: 'http',
  async run(site) {
    if (site.tool === undefined) return skipped('No tool was named.');
    const { progressMs, elapsedMs } = await site.called();
    const [first = 0] = progressMs;
    if (progressMs.length === 0) return skipped('The tool reported none.');
    if (progressMs.length === 1 || elapsedMs < MIN_CALL_MS || first < LATE * elapsedMs)
      return ok(`The first of ${progressMs.length} reports came after ${toMs(first)} of ${toMs(elapsedMs)}.`);
    return cause(
      'It looks as if a proxy holds events back until the stream ends: all reports of progress came with the result.',
      [`the call: ${toMs(elapsedMs)}`, `${progressMs.length} reports, the first after ${toMs(first)}`],
      `${bufferingFix} Where there is no proxy, look whether the tool reports only at its end.`,
    );
  },
};
