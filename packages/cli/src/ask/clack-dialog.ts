import { type CANCEL_SYMBOL, isCancel, selectKey, text } from '@clack/prompts';
import type { Person } from '../surroundings.ts';
import { cleanLine, type Terminal } from '../terminal.ts';
import type { Dialog, KeyQuestion } from './dialog.ts';

/** Who asks must not scroll away. */
const MAX_QUOTED_LINES = 40;

/** The key that a terminal in raw mode reports in place of a signal. */
interface PressedKey {
  readonly ctrl?: boolean;
  readonly name?: string;
}

/**
 * Creates the dialog with the person at a terminal. His first Ctrl-C gives up a question alone; from the second one on
 * it ends the run, too, so that a server that keeps asking holds nobody.
 */
export function createClackDialog(person: Person, terminal: Pick<Terminal, 'note' | 'warn'>): Dialog {
  const { input, output } = person;
  let interrupts = 0;

  return {
    tell: (lines) => terminal.note(lines),
    quote(text) {
      const lines = text.split('\n');
      for (const line of lines.slice(0, MAX_QUOTED_LINES)) terminal.note(`  | ${cleanLine(line)}`);
      const more = lines.length - MAX_QUOTED_LINES;
      if (more > 0) terminal.note(`  | … and ${more} more lines`);
    },
    warn: (message) => terminal.warn(message),
    async line({ message, check }, signal) {
      const answer = await asking(signal, (common) =>
        text({ ...common, message, validate: (line) => check(line ?? '') }),
      );
      return answer?.given;
    },
    async key<K extends string>({ message, keys }: KeyQuestion<K>, signal: AbortSignal) {
      // The prompt's own types know each key apart.
      const choices = Object.entries<string>(keys).map(([value, label]) => ({ value, label })) as never;
      for (;;) {
        const answer = await asking(signal, (common) => selectKey<K>({ ...common, message, options: choices }));
        // Enter ends the prompt without any of its keys.
        if (answer === undefined || (answer.given as K | undefined) !== undefined) return answer?.given;
      }
    },
  };

  async function asking<T>(
    signal: AbortSignal,
    prompt: (common: object) => Promise<T | typeof CANCEL_SYMBOL>,
  ): Promise<{ readonly given: T } | undefined> {
    signal.throwIfAborted();
    // A prompt listens to its signal for ever, so it gets one that does not outlive it.
    const own = new AbortController();
    const end = (): void => own.abort();
    const onKey = (_: unknown, { ctrl, name }: PressedKey = {}): void => {
      if (ctrl === true && name === 'c') interrupts += 1;
      // Ctrl-D closes what reads the keys, and the prompt would wait for ever.
      if (ctrl === true && name === 'd') end();
    };
    const before = interrupts;
    signal.addEventListener('abort', end, { once: true });
    input.on('keypress', onKey);
    input.once('end', end);
    try {
      const answer = await prompt({ input, output, signal: own.signal, withGuide: false });
      signal.throwIfAborted();
      if (!isCancel(answer)) return { given: answer };
      if (interrupts > before && interrupts > 1) person.interrupt();
      return undefined;
    } finally {
      input.off('keypress', onKey);
      input.off('end', end);
      signal.removeEventListener('abort', end);
    }
  }
}
