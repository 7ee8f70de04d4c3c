import { ClientError } from '@switchyard/client';
import { type CallToolResult, errorCodes, ProtocolError } from '@switchyard/protocol';

import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, type Finding, ok, skipped, unknown } from '../finding.ts';
import { speaksOfTime, textOf } from '../result-text.ts';

/** Whether the tool itself, or the server for it, says no. */
export const refusalStep: DoctorStep = {
  id: 'refusal',
  question: 'Does the tool do what it was asked to?',
  async run(site) {
    if (site.tool === undefined) return skipped('No tool was named.');
    const called = await site.called();
    if ('result' in called) return judgeResult(site, called.result);
    const { error } = called;
    if (error instanceof ProtocolError) return judgeError(site, error);
    if (error instanceof ClientError && error.code === 'unexpected-input-required') return asks(site, error.message);
    return ok('It did not say no.');
  },
};

function judgeResult(site: DoctorSite, result: CallToolResult): Finding {
  if (result.isError !== true) return ok('It does.');
  const text = textOf(result);
  if (speaksOfTime(text)) return ok('It says that something behind it took too long, see the next step.');
  return cause(
    'The tool ran, and refuses or fails: this is its own answer, not a fault of the connection.',
    [`the tool said: ${site.excerpt(text)}`],
    'Do what its text asks for: other arguments, or a right or a record in the system behind it.',
  );
}

function judgeError(site: DoctorSite, error: ProtocolError): Finding {
  const evidence = [`error ${error.code}: ${site.excerpt(error.message)}`];
  switch (error.code) {
    case errorCodes.missingRequiredClientCapability.code:
      return asks(site, error.message);
    case errorCodes.invalidParams.code:
      return cause(
        'The server refuses the arguments, which fit the schema that it lists.',
        evidence,
        'Follow its message, and have the input schema say what the server checks.',
      );
    case errorCodes.internalError.code:
      if (speaksOfTime(error.message)) return ok('It says that something behind it took too long, see the next step.');
      return cause(
        'The server failed while it worked.',
        evidence,
        'Look at the log of the server: it holds the cause.',
      );
    default:
      return cause('The server refuses the call.', evidence, 'Follow its message; the code is that of the server.');
  }
}

/** What needs a person is no fault. */
function asks(site: DoctorSite, message: string): Finding {
  return unknown(
    'The tool asks for input, which the doctor does not give: switchyard check TARGET --tool NAME --answers JSON does.',
    [site.excerpt(message)],
  );
}
