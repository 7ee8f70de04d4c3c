import { clip } from '@switchyard/protocol';

import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import type { KnownAsks } from './known-asks.ts';
import type { RunSite } from './run-site.ts';
import type { Work } from './work.ts';

/** How many failures are kept until the run is over. */
const MAX_FAILURES = 100;

/**
 * What a run asked or did and nobody awaited. In development the log names it once the run is over: where it stands,
 * its author would not see it.
 */
export class Unheard {
  readonly #site: Pick<RunSite, 'development' | 'logger' | 'about'>;
  readonly #failures: { readonly work: Work<unknown>; readonly err: unknown }[] = [];
  #isTold = false;

  constructor(site: Pick<RunSite, 'development' | 'logger' | 'about'>) {
    this.#site = site;
  }

  /** Takes a failure of work: somebody may await it as long as the run goes on. */
  failed(work: Work<unknown>, err: unknown): void {
    if (!this.#site.development || work.awaited) return;
    if (this.#isTold) this.#warn(work, err);
    else if (this.#failures.length < MAX_FAILURES) this.#failures.push({ work, err });
  }

  /** Logs what is known now that the run is over; what fails from then on is logged at once. */
  tell(asks: KnownAsks): void {
    const { development, logger, about } = this.#site;
    this.#isTold = true;
    if (!development) return;
    const keys = asks.neverAwaited();
    if (keys.length > 0) logger.warn({ ...about, keys }, 'asks were never awaited, so they were not sent: await them');
    for (const { work, err } of this.#failures.splice(0)) {
      if (!work.awaited) this.#warn(work, err);
    }
  }

  #warn({ what }: Work<unknown>, err: unknown): void {
    const { logger, about } = this.#site;
    logger.warn({ ...about, work: clip(what, MAX_LOGGED_CHARS), err }, 'work failed that nobody awaited: await it');
  }
}
