import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped, unknown } from '../finding.ts';
import { standingStream } from '../standing-stream.ts';
import { toMs } from '../to-ms.ts';

/** Whether a stream stays open while nothing is said on it. */
export const idleStep: DoctorStep = {
  id: 'idle',
  question: 'Does an idle stream stay open?',
  transport: 'http',
  async run(site) {
    if (site.idleMs === 0) return skipped('It was not to be looked at (--idle 0).');
    const contact = await site.contact();
    const request = contact.era === 'sse' ? {} : standingStream(contact);
    if (request === undefined) return skipped('The server tells of no changes, so it has no stream to look at.');
    const seen = await site.http().watch(request, { forMs: site.idleMs });
    const { status, endMs, text } = seen;
    if (status === undefined) return unknown('The stream was not opened.', [site.excerpt(seen.failure?.message ?? '')]);
    if (status !== 200 || /"(?:result|error)":/.test(text))
      return skipped(`The server has no such stream (HTTP ${status}).`);
    const signs = text.match(/^:/gm)?.length ?? 0;
    const alive = signs === 0 ? 'without a sign of life in between' : `with ${signs} signs of life in between`;
    if (endMs === undefined)
      return ok(
        `It stayed open for ${toMs(site.idleMs)}, ${alive}; a limit beyond that is not seen (--idle SECONDS ` +
          'holds it longer).',
      );
    return cause(
      `The idle stream was cut after ${toMs(endMs)}.`,
      [
        `${seen.failure === undefined ? 'it was ended without a result' : site.excerpt(seen.failure.message)} ` +
          `after ${toMs(endMs)}, ${alive}`,
      ],
      'Raise the time that the proxy lets a connection be silent (nginx: proxy_read_timeout; balancers: idle ' +
        'timeout), or have the server send comments more often than that.',
    );
  },
};
