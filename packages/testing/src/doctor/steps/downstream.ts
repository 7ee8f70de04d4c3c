import { ClientError } from '@switchyard/client';
import { ProtocolError } from '@switchyard/protocol';

import { clientEvidence } from '../client-evidence.ts';
import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, ok, skipped } from '../finding.ts';
import { speaksOfTime, textOf } from '../result-text.ts';
import { toMs } from '../to-ms.ts';

/** Whether what is behind the tool answers in time. */
export const downstreamStep: DoctorStep = {
  id: 'downstream',
  question: 'Does what is behind it answer in time?',
  async run(site) {
    if (site.tool === undefined) return skipped('No tool was named.');
    const called = await site.called();
    const took = toMs(called.elapsedMs);
    const greeted = await greetedMs(site);
    const evidence = [`the call: ${took}`, `the first answer of the same server: ${toMs(greeted)}`];
    if ('result' in called) {
      const text = textOf(called.result);
      if (called.result.isError !== true || !speaksOfTime(text)) return ok(`The call was answered after ${took}.`);
      return behind([...evidence, `the tool said: ${site.excerpt(text)}`]);
    }
    const { error } = called;
    if (error instanceof ProtocolError && speaksOfTime(error.message))
      return behind([...evidence, `error ${error.code}: ${site.excerpt(error.message)}`]);
    if (error instanceof ClientError && (error.status === 504 || error.status === 524 || error.status === 408))
      return cause(
        `A proxy gave up waiting for the call (HTTP ${error.status}).`,
        [...evidence, ...clientEvidence(site, error)],
        'Raise the time that the proxy waits (nginx: proxy_read_timeout), or have the tool report progress on a ' +
          'stream.',
      );
    if (!isTimeout(error)) return ok('Nothing says that it does not.');
    return cause(
      'The server answers quickly, and the call got no answer in time: what the tool waits for does not answer.',
      [...evidence, ...clientEvidence(site, error)],
      'Look at what the tool calls: its address, its load and its credentials. A call that may take longer gets ' +
        `more with --timeout (now ${site.timeoutMs / 1000} seconds).`,
    );
  },
};

function behind(evidence: readonly string[]) {
  return cause(
    'The tool says that what is behind it did not answer in time.',
    evidence,
    'Look at what the tool calls: its address, its load and its credentials.',
  );
}

function isTimeout(error: unknown): error is ClientError {
  return (
    error instanceof ClientError &&
    (error.code === 'timeout' || (error.code === 'outcome-unknown' && speaksOfTime(error.message)))
  );
}

async function greetedMs(site: DoctorSite): Promise<number> {
  const { discover, initialize } = await site.contact();
  return (initialize ?? discover).elapsedMs;
}
