import type { Logger } from '@switchyard/protocol';
import type { LeftOutEntry } from './server-catalog.ts';

const MAX_WARNINGS = 1000;

/**
 * Creates the function that warns of entries of one server to which something happens that did not happen before, such
 * as that they are `left out`.
 * After 1,000 warnings it says so once and keeps silent, so that a server whose names change cannot flood a log.
 */
export function createLeftOutWarnings(
  server: string,
  logger: Pick<Logger, 'warn'>,
  what: string,
): (leftOut: readonly LeftOutEntry[], before: readonly LeftOutEntry[]) => void {
  let warnings = 0;
  return (leftOut, before) => {
    if (warnings > MAX_WARNINGS) return;
    const known = new Set(before.map((entry) => JSON.stringify(entry)));
    for (const entry of leftOut) {
      if (known.has(JSON.stringify(entry))) continue;
      warnings += 1;
      if (warnings > MAX_WARNINGS) {
        logger.warn(
          { server },
          `more than ${MAX_WARNINGS} entries of a server were ${what}; further ones are not reported`,
        );
        return;
      }
      logger.warn({ server, ...entry }, `an entry of a server is ${what}`);
    }
  };
}
