import {
  clip,
  type ErrorBody,
  errorCodes,
  type InputRequest,
  type JsonObject,
  type Logger,
  type Result,
  stringifyJson,
} from '@switchyard/protocol';
import { StoreError } from '@switchyard/stores';

import type { Cancellation } from '../dispatch/cancellation.ts';
import { loggedTaskId } from '../dispatch/logged.ts';
import { keepAlive } from '../effects/lease.ts';
import { MAX_RECORDED_CHARS } from '../effects/max-recorded-chars.ts';
import { pause } from '../timing/pause.ts';
import { unheld } from '../timing/unheld.ts';
import { OpenAsks } from './open-asks.ts';
import { asked, cancelRequested, described, ended } from './task-changes.ts';
import type { TaskEnd, TaskRecord } from './task-record.ts';
import type { TaskStore } from './task-store.ts';
import { TaskWriter } from './task-writer.ts';

/** Most characters of a status message. */
export const MAX_STATUS_CHARS = 1_000;
/** When the end of a task is written again that the store did not take, in milliseconds. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000, 8_000];

/** What the run of a task needs. */
export interface TaskRunSite {
  readonly id: string;
  readonly key: string;
  /** What the log says of the task. */
  readonly about: { readonly name: string; readonly subject: string | undefined; readonly tenant: string | undefined };
  readonly store: TaskStore;
  readonly epochNow: () => number;
  /** It must not throw. */
  readonly logger: Logger;
  /**
   * How often the store is looked into for answers and cancellation, in milliseconds; `undefined` where news come by
   * themselves.
   */
  readonly pollMs: number | undefined;
  readonly cancelGraceMs: number;
  /** Answers the error that the caller may see for anything thrown. */
  readonly toErrorBody: (thrown: unknown) => ErrorBody;
  /** Told when whoever looks at the task sees something new. */
  readonly onChanged: () => void;
  /** Told once when the handler has ended. */
  readonly onSettled: () => void;
  /** Told once when there is nothing more to do for the task. */
  readonly onClosed: () => void;
}

/**
 * A task whose handler runs in this process: it keeps the record alive, puts the handler's questions into it, brings
 * the answers, and writes how the task ended. The record is the truth: a task that ended there, or is gone, aborts the
 * handler's signal.
 */
export class TaskRun {
  readonly #site: TaskRunSite;
  #cancellation: Cancellation | undefined;
  readonly #asks = new OpenAsks();
  readonly #writer: TaskWriter;
  #looking = false;
  #lookAgain = false;
  #stopHeart: (() => Promise<void>) | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;
  #grace: ReturnType<typeof setTimeout> | undefined;
  #isCancelling = false;
  /** Set once the end is being written; settles when it is, or when there is no use in trying. */
  #ending: Promise<void> | undefined;
  #isSettled = false;
  #isClosed = false;

  constructor(site: TaskRunSite) {
    this.#site = site;
    this.#writer = new TaskWriter(site, {
      onWritten: (record) => this.#see(record),
      onFailure: (error) => this.#logFailure(error),
    });
  }

  get id(): string {
    return this.#site.id;
  }

  get key(): string {
    return this.#site.key;
  }

  /**
   * Begins when the record is stored; `cancellation` is what the handler sees, and nobody else cancels it but its
   * request.
   */
  begin(cancellation: Cancellation, remainingMs: number): void {
    this.#cancellation = cancellation;
    if (this.#ending !== undefined || this.#isClosed)
      return cancellation.cancel(new DOMException(STOPPED, 'AbortError'));
    const { pollMs } = this.#site;
    this.#stopHeart = keepAlive(() => this.#writer.renew());
    if (pollMs !== undefined) this.#poll = unheld(setInterval(() => this.look(), pollMs));
    this.#expiry = unheld(setTimeout(() => this.#lose('the task has expired'), remainingMs));
    cancellation.onCancelled(() => {
      // Its request was cancelled before the response was out: nobody will ever have the id of the task.
      if (!this.#isCancelling && this.#ending === undefined && !this.#isClosed) void this.cancel();
    });
  }

  /**
   * Puts a question to the caller and answers what it says. Rejects when the task is cancelled, has ended, or is gone.
   */
  async ask(request: InputRequest, key: string): Promise<JsonObject> {
    if (this.#isCancelling || this.#ending !== undefined || this.#isClosed) throw this.#reason();
    const { key: unique, answer } = this.#asks.add(key, request);
    this.#writer.write(asked(unique, request, this.#site.epochNow())).catch((error: unknown) => {
      // It may have been written all the same, and nobody waits for its answer.
      this.#writer.take(unique);
      this.#asks.reject(unique, error);
    });
    return answer;
  }

  /** Writes what the handler says of its work. It never rejects. */
  async describe(said: {
    readonly statusMessage?: string | undefined;
    readonly pollIntervalMs?: number | undefined;
  }): Promise<void> {
    const { statusMessage } = said;
    try {
      await this.#writer.write(
        described(
          { ...said, statusMessage: statusMessage === undefined ? undefined : clip(statusMessage, MAX_STATUS_CHARS) },
          this.#site.epochNow(),
        ),
      );
    } catch (err) {
      this.#site.logger.error({ ...this.#about(), err }, 'the state of a task could not be written');
    }
  }

  /**
   * The handler ended with a result; after cancellation was requested an error result is the end of a cancelled task.
   */
  complete(result: Result): Promise<void> {
    const { isError } = result as { readonly isError?: unknown };
    if (this.#isCancelling && isError === true) return this.#settle({ status: 'cancelled' }, 'Cancelled');
    const text = stringifyJson(result);
    if (text.length <= MAX_RECORDED_CHARS) return this.#settle({ status: 'completed', result: text }, undefined);
    return this.#settleFailed({
      code: errorCodes.internalError.code,
      message: `The result has ${text.length} characters as JSON and at most ${MAX_RECORDED_CHARS} are kept of a task: answer a resource link`,
    });
  }

  /** The handler ended with a protocol error. */
  fail(thrown: unknown): Promise<void> {
    return this.#isCancelling
      ? this.#settle({ status: 'cancelled' }, 'Cancelled')
      : this.#settleFailed(this.#site.toErrorBody(thrown));
  }

  /**
   * The server stops: the handler is told, and the task has failed unless it just ended. Settles when its end is
   * written.
   */
  async shutDown(): Promise<void> {
    const ending = this.#end(stoppedEnd, STOPPED);
    this.#abort(new DOMException(STOPPED, 'AbortError'));
    await ending;
  }

  /** Stores that cancellation is wanted, and tells the handler. */
  async cancel(): Promise<void> {
    this.#cancelHandler();
    await this.#writer.write(cancelRequested(this.#site.epochNow())).catch(this.#logFailure);
  }

  /**
   * Looks into the store for answers and cancellation; before the run has begun there is nothing to find, and may be no
   * record yet.
   */
  look(): void {
    if (this.#cancellation === undefined) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    if (this.#isClosed) return;
    this.#looking = true;
    this.#site.store
      .change(this.#site.key, () => undefined)
      .then((found) => this.#see(found?.record))
      .catch(this.#logFailure)
      .finally(() => {
        this.#looking = false;
        if (!this.#lookAgain) return;
        this.#lookAgain = false;
        this.look();
      });
  }

  #see(record: TaskRecord | undefined): void {
    if (this.#isClosed || this.#ending !== undefined) return;
    if (record === undefined) return this.#lose('the task has expired');
    if (record.end !== undefined) return this.#lose(`the task is ${record.end.status} elsewhere`);
    if (record.cancelRequested === true) return this.#cancelHandler();
    let hasTaken = false;
    for (const key of this.#asks.keys) {
      const answer = Object.hasOwn(record.asks, key) ? record.asks[key]?.answer : undefined;
      if (answer === undefined) continue;
      hasTaken = true;
      this.#writer.take(key);
      this.#asks.resolve(key, answer);
    }
    // Makes room for further answers.
    if (hasTaken) void this.#writer.renew();
  }

  #cancelHandler(): void {
    if (this.#isCancelling || this.#ending !== undefined || this.#isClosed) return;
    this.#isCancelling = true;
    this.#abort(new DOMException('the task was cancelled', 'AbortError'));
    this.#grace = unheld(
      setTimeout(
        () => void this.#end({ status: 'cancelled' }, 'Cancelled; the handler did not stop in time'),
        this.#site.cancelGraceMs,
      ),
    );
  }

  /** The record ended without this run, or is gone. */
  #lose(why: string): void {
    if (this.#isClosed) return;
    this.#close();
    this.#abort(new DOMException(why, 'AbortError'));
  }

  #abort(reason: DOMException): void {
    this.#cancellation?.cancel(reason);
    this.#asks.rejectAll(this.#reason());
  }

  #reason(): unknown {
    return this.#cancellation?.reason ?? new DOMException('the task has ended', 'AbortError');
  }

  #settleFailed(error: ErrorBody): Promise<void> {
    return this.#settle({ status: 'failed', error }, clip(error.message, MAX_STATUS_CHARS));
  }

  #settle(end: TaskEnd, statusMessage: string | undefined): Promise<void> {
    if (!this.#isSettled) {
      this.#isSettled = true;
      this.#site.onSettled();
    }
    return this.#end(end, statusMessage);
  }

  #end(end: TaskEnd, statusMessage: string | undefined): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return (this.#ending ??= this.#writeEnd(end, statusMessage));
  }

  async #writeEnd(end: TaskEnd, statusMessage: string | undefined): Promise<void> {
    let last = ended(end, statusMessage, this.#site.epochNow());
    for (const retryMs of [...RETRY_MS, undefined]) {
      try {
        await this.#writer.write(last);
        this.#site.logger.info({ ...this.#about(), status: end.status }, 'task ended');
        break;
      } catch (err) {
        this.#site.logger.error({ ...this.#about(), err }, 'the end of a task could not be written');
        if (isTooLarge(err)) last = ended(TOO_LARGE, TOO_LARGE.error.message, this.#site.epochNow());
        if (retryMs !== undefined) await pause(retryMs);
        // Its time was over meanwhile: there is nothing left to write to.
        if (this.#isClosed) return;
      }
    }
    this.#close();
  }

  #about(): object {
    return { task: loggedTaskId(this.id), ...this.#site.about };
  }

  readonly #logFailure = (err: unknown): void => {
    this.#site.logger.error({ ...this.#about(), err }, 'the store of a task does not answer');
  };

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#stopHeart?.();
    clearInterval(this.#poll);
    clearTimeout(this.#expiry);
    clearTimeout(this.#grace);
    this.#writer.close();
    this.#site.onClosed();
  }
}

const STOPPED = 'The server was stopped before the task had ended';

/** The end of a task whose server stops. */
export const stoppedEnd: TaskEnd = {
  status: 'failed',
  error: { code: errorCodes.internalError.code, message: STOPPED },
};

const TOO_LARGE = {
  status: 'failed',
  error: {
    code: errorCodes.internalError.code,
    message: 'What the task ended with is larger than the store of tasks takes: answer a resource link',
  },
} as const satisfies TaskEnd;

function isTooLarge(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'too-large' || error.code === 'corrupt');
}
