import { notifications } from '@switchyard/protocol';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped, unknown } from '../finding.ts';
import { standingStream } from '../standing-stream.ts';
import { toMs } from '../to-ms.ts';

/** How long the first event may take at least, and how many times as long as a plain request. */
const MIN_WAIT_MS = 1_500;
const PATIENCE = 10;

/** What to do about a proxy that holds streams back. */
export const bufferingFix =
  'Switch buffering off for this path at the proxy (nginx: proxy_buffering off; and no gzip), or have the server ' +
  'send the header X-Accel-Buffering: no.';

/** Whether events come when they are sent, and not when the stream ends. */
export const streamingStep: DoctorStep = {
  id: 'streaming',
  question: 'Do events come at once?',
  transport: 'http',
  async run(site) {
    const contact = await site.contact();
    if (contact.era === 'sse') return ok('The endpoint event came at once.');
    const request = standingStream(contact);
    if (request === undefined) return skipped('The server tells of no changes, so it has no stream to look at.');
    const plainMs = (contact.initialize ?? contact.discover).elapsedMs;
    const forMs = Math.min(Math.max(MIN_WAIT_MS, PATIENCE * plainMs), site.timeoutMs);
    const seen = await site.http().watch(request, { forMs, isEnough: isFirstEvent });
    const { status = 200, headMs, firstMs, endMs } = seen;
    if (seen.failure !== undefined && seen.failure.kind !== 'timeout')
      return unknown('The stream broke at once.', [site.excerpt(seen.failure.message)]);
    if (status !== 200 || (endMs !== undefined && firstMs === undefined))
      return skipped(`The server has no such stream (HTTP ${status}).`);
    if (firstMs !== undefined) return ok(`The first event came after ${toMs(firstMs)}.`);
    if (contact.era === 'legacy') {
      // The older revisions have no event that must come first, and some servers send no headers before the first one.
      return headMs === undefined
        ? unknown(
            `The stream gave nothing within ${toMs(forMs)}: a proxy may hold it back, or the server has nothing ` +
              'to say.',
          )
        : ok(`The stream was opened after ${toMs(headMs)}.`);
    }
    return cause(
      'It looks as if a proxy holds events back until the stream ends.',
      [
        `a plain request was answered after ${toMs(plainMs)}`,
        `the stream gave ${headMs === undefined ? 'not even headers' : 'headers, but no event'} within ${toMs(forMs)}`,
        ...shownHeaders(site, seen.header),
      ],
      `${bufferingFix} Where there is no proxy, have the server acknowledge subscriptions/listen at once.`,
    );
  },
};

function isFirstEvent(text: string): boolean {
  return text.includes(notifications.subscriptionAcknowledged.method) || /"(?:result|error)":/.test(text);
}

function shownHeaders(site: DoctorSite, header: (name: string) => string | undefined): readonly string[] {
  return ['server', 'via', 'x-accel-buffering', 'content-encoding'].flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [`${name}: ${site.excerpt(value, 100)}`];
  });
}
