import { errorCodes, present } from '@switchyard/protocol';
import { Failure } from '../failure.ts';

/** Has the failure of a request that needs what this command does not declare say which command does. */
export function explainAsking(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== errorCodes.missingRequiredClientCapability.code) return error;
  const { kind, message, exitCode, code, server, lines, paste, cause } = error;
  const hint =
    "This command answers no questions of a server; to call a tool that asks: switchyard check TARGET --tool NAME --args '{…}' --answers '{…}'";
  return new Failure(kind, `${message} ${hint}`, {
    exitCode,
    code,
    lines,
    cause,
    ...present({ server, paste }),
  });
}
