import type { Ask, InputHandlers } from '@switchyard/client';
import { openBrowser } from '@switchyard/client/node';
import type { Person, Surroundings } from '../surroundings.ts';
import type { Wanted } from '../target/host-target.ts';
import type { Terminal } from '../terminal.ts';
import { askForm } from './ask-form.ts';
import { askPage } from './ask-page.ts';
import { createClackDialog } from './clack-dialog.ts';
import type { Dialog } from './dialog.ts';
import { showAsker } from './show-asker.ts';

/** A person may sleep over it; Ctrl-C ends it. */
const TIMEOUT_MS = 24 * 3_600_000;

/** What the questions to a person need. */
export interface PersonInputOptions {
  readonly person: Person;
  readonly terminal: Terminal;
  readonly env: Surroundings['env'];
  /** Aborts when the command is asked to end. */
  readonly signal: Surroundings['signal'];
  /** What the command is at. */
  readonly wanted: Wanted | undefined;
  /** Default: the prompts on the person's terminal. */
  readonly dialog?: Dialog;
}

/** Creates handlers that ask the person at the terminal, one question at a time. */
export function createPersonInput(options: PersonInputOptions): InputHandlers {
  const { person, terminal, env, signal, wanted, dialog = createClackDialog(person, terminal) } = options;
  let last: Promise<unknown> = Promise.resolve();

  return {
    timeoutMs: TIMEOUT_MS,
    elicitForm: (ask) => inTurn(ask, () => askForm(dialog, ask)),
    elicitUrl: (ask) =>
      inTurn(ask, () =>
        askPage(dialog, ask, {
          openBrowser: (url) => openBrowser(url, { env }),
          emphasise: (text) => terminal.style('bold', text),
        }),
      ),
  };

  function inTurn<T>(ask: Ask & { readonly message: string }, work: () => Promise<T>): Promise<T> {
    const turn = last.then(() =>
      terminal.dialog(async () => {
        ask.signal.throwIfAborted();
        dialog.tell(`\n${showAsker(ask, wanted)}`);
        dialog.quote(ask.message);
        try {
          return await work();
        } catch (error) {
          if (ask.signal.aborted && !signal.aborted) dialog.warn('The question was taken back; nothing was sent.');
          throw error;
        }
      }),
    );
    // Whoever asked gets the failure; the next question only waits for the end.
    last = turn.catch(() => undefined);
    return turn;
  }
}
