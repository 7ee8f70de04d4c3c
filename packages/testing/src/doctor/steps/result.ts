import { ClientError } from '@switchyard/client';

import { clientEvidence } from '../client-evidence.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped, unknown } from '../finding.ts';
import { fixForStderr } from '../stderr-hints.ts';

/** Whether what came is a result as the protocol and the tool itself promise it. */
export const resultStep: DoctorStep = {
  id: 'result',
  question: 'Is the result well formed?',
  async run(site) {
    if (site.tool === undefined) return skipped('No tool was named.');
    const called = await site.called();
    if ('result' in called) return ok(`It is; blocks of content: ${called.result.content.length}.`);
    const { error } = called;
    if (!(error instanceof ClientError)) return unknown('No result came.');
    const evidence = clientEvidence(site, error);
    // A lost outcome may have a status, too: that of whoever gave up.
    if (error.status !== undefined) {
      return cause(
        `The call got HTTP ${error.status}.`,
        evidence,
        'Look at the log of the server, and of the proxy before it.',
      );
    }
    // Whether the call took effect is another question than what its answer was.
    const code = error.code === 'outcome-unknown' && error.status !== undefined ? 'http-status' : error.code;
    switch (code) {
      case 'invalid-response':
        return cause(
          'The result is not one of the protocol.',
          evidence,
          'Have the server answer a result of tools/call: mend the place that the message names.',
        );
      case 'result-rejected':
        return cause(
          'The result breaks what the tool promises.',
          evidence,
          "Mend the result, or the output schema, which both are the server's.",
        );
      case 'too-large':
        return cause(
          'The result is too large.',
          evidence,
          'Ask for less, or have the tool answer in pages or with a link to a resource.',
        );
      case 'closed':
      case 'outcome-unknown':
      case 'start-failed':
        return cause(
          'The connection ended while the tool worked.',
          evidence,
          fixForStderr(error.stderr?.split('\n') ?? []) ??
            'Look at the log of the server: the tool may end its process.',
        );
      case 'version':
        return cause(
          'The server refuses the call for its revision, in which it was met.',
          evidence,
          'Keep -32022 for revisions that the server does not speak; an error of the tool has a code of its own.',
        );
      default:
        return unknown('No result came.', evidence);
    }
  },
};
