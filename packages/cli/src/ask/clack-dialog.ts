import { isCancel, text } from '@clack/prompts';
import type { Person } from '../surroundings.ts';
import { cleanLine, type Terminal } from '../terminal.ts';
import type { Dialog } from './dialog.ts';
import { openQuestionKeys } from './question-keys.ts';

/** Who asks must not scroll away. */
const MAX_QUOTED_LINES = 40;

/**
 * Creates the dialog with the person at a terminal. His first Ctrl-C gives up a question alone; from the second one on
 * it ends the run, too, so that a server that keeps asking holds nobody.
 */
export function createClackDialog(person: Person, terminal: Pick<Terminal, 'note' | 'warn'>): Dialog {
  let interrupts = 0;

  return {
    tell: (lines) => terminal.note(lines),
    quote(quoted) {
      const lines = quoted.split('\n');
      for (const line of lines.slice(0, MAX_QUOTED_LINES)) terminal.note(`  | ${cleanLine(line)}`);
      const more = lines.length - MAX_QUOTED_LINES;
      if (more > 0) terminal.note(`  | … and ${more} more lines`);
    },
    warn: (message) => terminal.warn(message),
    async line({ message, check, isNext = false }, signal) {
      signal.throwIfAborted();
      // A prompt listens to its signal for ever, so it gets one that does not outlive it.
      const own = new AbortController();
      const end = (): void => own.abort();
      signal.addEventListener('abort', end, { once: true });
      const keys = openQuestionKeys(person, { isNext, onEnd: end });
      try {
        const answer = await text({
          input: keys.input,
          output: person.output,
          signal: own.signal,
          withGuide: false,
          message,
          validate: (line) => check(line ?? ''),
        });
        signal.throwIfAborted();
        if (!isCancel(answer)) return answer;
        interrupts += keys.interrupts();
        if (keys.interrupts() > 0 && interrupts > 1) person.interrupt();
        return undefined;
      } finally {
        keys.close();
        signal.removeEventListener('abort', end);
      }
    },
  };
}
