import type { Logger } from '@switchyard/host';
import { redactSecrets } from '@switchyard/guards';
import { createPinoLogger } from '@switchyard/server/node';
import { type LogLevel, logLevels } from './log-level.ts';
import type { Terminal } from './terminal.ts';

/**
 * Creates the logger of a host and a gateway. `info` writes JSON lines to standard error, one a call and one a request,
 * for machines; `warn` and `error` write sentences for a person.
 */
export function createLogger(level: LogLevel, terminal: Pick<Terminal, 'warn'>): Logger {
  if (level === 'info') return createPinoLogger();
  const says = (from: LogLevel): boolean => logLevels.indexOf(level) >= logLevels.indexOf(from);
  const say = (fields: object, message: string): void => terminal.warn(sentence(fields, message));
  return {
    info: () => undefined,
    warn: (fields, message) => {
      if (says('warn')) say(fields, message);
    },
    error: (fields, message) => {
      if (says('error')) say(fields, message);
    },
  };
}

/** The message with what it is about and why, in one line. */
function sentence(fields: object, message: string): string {
  const { server, name, reason, err, reference, callId } = fields as { readonly [field: string]: unknown };
  const why = err instanceof Error ? err.message : reason;
  const about = [server, name].filter((part) => typeof part === 'string').join(', ');
  const found = [reference, callId].find((part) => typeof part === 'string');
  const parts = [
    about === '' ? message : `${about}: ${message}`,
    ...(typeof why === 'string' ? [redactSecrets(why)] : []),
    ...(typeof found === 'string' ? [`reference ${found}`] : []),
  ];
  return parts.join(': ');
}
