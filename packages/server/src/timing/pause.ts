import { unheld } from './unheld.ts';

/** Options of {@link pause}. */
export interface PauseOptions {
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** Whether the process lives on for it, where the runtime tells: default true. */
  readonly holdsProcess?: boolean;
}

/** Resolves after some milliseconds, or when the signal aborts: whoever waits looks at it. */
export function pause(ms: number, { signal, holdsProcess = true }: PauseOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    if (!holdsProcess) unheld(timer);
    signal?.addEventListener('abort', wake, { once: true });
    // It tells nobody who comes late.
    if (signal?.aborted === true) wake();
  });
}
