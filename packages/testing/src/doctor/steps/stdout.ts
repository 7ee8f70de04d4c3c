import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok } from '../finding.ts';
import { MAX_STRAY } from '../stdio-peer.ts';

const MAX_LINES = 5;

/** The way out, whatever the language. */
export const stdoutFix =
  'Log to stderr: standard output belongs to the protocol. In Node console.error in place of console.log, in ' +
  'Python logging or print(…, file=sys.stderr).';

/** Whether standard output holds messages and nothing else, until the server was met. */
export const stdoutStep: DoctorStep = {
  id: 'stdout',
  question: 'Is stdout clean?',
  transport: 'stdio',
  async run(site) {
    await site.contact();
    const stray = site.stray();
    if (stray.length === 0) return ok('Every line on stdout is a message.');
    const lines = stray.slice(0, MAX_LINES).map((line) => `stdout: ${site.excerpt(line)}`);
    const many = stray.length >= MAX_STRAY ? 'At least ' : '';
    const saw =
      stray.length === 1
        ? 'A line on stdout is no message.'
        : `${many}${stray.length} lines on stdout are no messages.`;
    return cause(saw, lines, fixFor(stray));
  },
};

/** Messages themselves, in another form than the transport has. */
function fixFor(stray: readonly string[]): string {
  if (stray.some((line) => /^Content-Length:/i.test(line)))
    return 'Write each message as one line of JSON, without the headers that language servers put before it.';
  if (stray[0]?.trim() === '{') return 'Write each message on one line: JSON without line breaks between its members.';
  return stdoutFix;
}
