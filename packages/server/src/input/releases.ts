import { inThisContext } from '../timing/async-context.ts';
import type { RunSite } from './run-site.ts';

/** What a handler releases when its round ends. See `RequestContext.onRoundEnd`. */
export class Releases {
  readonly #site: Pick<RunSite, 'logger' | 'about'>;
  readonly #waiting: (() => unknown)[] = [];
  #isOver = false;

  constructor(site: Pick<RunSite, 'logger' | 'about'>) {
    this.#site = site;
  }

  /** Takes a function that is called when the round ends; once it has, at once. */
  add(release: () => unknown): void {
    if (this.#isOver) this.#call(release);
    else this.#waiting.push(inThisContext(release));
  }

  /** Calls each of them, in the order in which they came; the round is over. */
  callAll(): void {
    this.#isOver = true;
    for (const release of this.#waiting.splice(0)) this.#call(release);
  }

  #call(release: () => unknown): void {
    const failed = (err: unknown): void =>
      this.#site.logger.error({ ...this.#site.about, err }, 'a function given to onRoundEnd failed');
    try {
      Promise.resolve(release()).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
