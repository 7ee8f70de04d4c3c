import type { Logger } from '@switchyard/protocol';

/** How many lines are written in one second. */
const MAX_LINES_A_SECOND = 10;

/**
 * Answers a logger for lines that anybody can cause, who may cause any number of them: it writes at most 10 a second of
 * each level, and says in the next one after it how many more there were. Warnings, which are easily caused, push out
 * no error.
 */
export function createLimitedLogger(logger: Logger, { now }: { now(): number }): Logger {
  const at = (level: keyof Logger): Logger['info'] => {
    let since = -Infinity;
    let logged = 0;
    let left = 0;
    return (fields, message) => {
      const time = now();
      if (time - since >= 1_000) {
        since = time;
        logged = 0;
      }
      if (logged >= MAX_LINES_A_SECOND) {
        left += 1;
        return;
      }
      logged += 1;
      const notLogged = left;
      left = 0;
      logger[level](notLogged === 0 ? fields : { ...fields, notLogged }, message);
    };
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
