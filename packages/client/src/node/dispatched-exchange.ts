import type { Dispatcher } from 'undici';
import { isCompressed } from '../http/content-coding.ts';
import { NeverSentError } from '../http/never-sent.ts';
import type { FetchBody, FetchBodyReader, FetchResponse } from '../http/fetch.ts';

/** What is read ahead of whoever reads a body, in bytes; one piece may be larger. */
const MAX_AHEAD_BYTES = 64 * 1024;

type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];
type Piece = Awaited<ReturnType<FetchBodyReader['read']>>;

/** An end of a body for whoever reads on. */
const END: Piece = { done: true };

/**
 * Makes one exchange on a dispatcher and answers the response with its body unread. Rejects with what the dispatcher
 * reports, in a {@link NeverSentError} where no socket had the request, or with the reason of `signal`, which ends the body,
 * too. A compressed body is not given, since it was not
 * asked for.
 */
export function dispatchExchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const exchange = new DispatchedExchange(signal, resolve, reject);
    try {
      signal.throwIfAborted();
    } catch (error) {
      exchange.fail(error);
      return;
    }
    try {
      dispatcher.dispatch(options, exchange);
    } catch (error) {
      exchange.failUnlessSent(error);
    }
  });
}

/** One exchange: what the dispatcher tells, and the body that is read from it. It has one reader. */
class DispatchedExchange implements Dispatcher.DispatchHandler, FetchBody, FetchBodyReader {
  readonly #signal: AbortSignal;
  readonly #resolve: (response: FetchResponse) => void;
  readonly #reject: (error: Error) => void;
  #controller: Controller | undefined;
  #pieces: Uint8Array[] = [];
  #aheadBytes = 0;
  #waiting: PromiseWithResolvers<Piece> | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(signal: AbortSignal, resolve: (response: FetchResponse) => void, reject: (error: Error) => void) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // It was given up while it waited for a socket.
    if (this.#end !== undefined) this.#drop();
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    if (status < 200 || this.#end !== undefined) return;
    const get = (name: string): string | null => {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    };
    const isReadable = !isCompressed(get('content-encoding'));
    // What was not asked for is not unpacked; its status still counts.
    if (!isReadable) this.#finish({});
    this.#resolve({ status, headers: { get }, body: isReadable ? this : null });
    if (!isReadable) controller.abort(new Error('the body is compressed'));
  }

  onResponseData(controller: Controller, piece: Uint8Array): void {
    if (this.#end !== undefined) return;
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: piece });
      return;
    }
    this.#pieces.push(piece);
    this.#aheadBytes += piece.length;
    if (this.#aheadBytes >= MAX_AHEAD_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.failUnlessSent(error);
  }

  /** As {@link fail}, with an error of the dispatcher. Whoever was given a socket may have been heard. */
  failUnlessSent(error: unknown): void {
    this.fail(this.#controller === undefined ? new NeverSentError(error) : error);
  }

  /** Ends the exchange with an error, for whoever waits for the response or reads its body. */
  fail(error: unknown): void {
    this.#finish({ error });
    this.#reject(error as Error);
  }

  getReader(): FetchBodyReader {
    return this;
  }

  read(): Promise<Piece> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#aheadBytes -= piece.length;
      if (this.#controller?.paused === true && this.#aheadBytes < MAX_AHEAD_BYTES) this.#controller.resume();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#end === undefined) {
      this.#waiting = Promise.withResolvers();
      return this.#waiting.promise;
    }
    return 'error' in this.#end ? Promise.reject(this.#end.error) : Promise.resolve(END);
  }

  cancel(): Promise<void> {
    if (this.#end === undefined) {
      this.#finish({});
      this.#drop();
    }
    this.#pieces = [];
    return Promise.resolve();
  }

  readonly #onAbort = (): void => {
    this.#pieces = [];
    this.fail(this.#signal.reason);
    this.#drop();
  };

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#signal.removeEventListener('abort', this.#onAbort);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return;
    if ('error' in end) waiting.reject(end.error);
    else waiting.resolve(END);
  }

  /** The socket is of no use any more; a request that still waits for one goes when it gets it. */
  #drop(): void {
    this.#controller?.abort(new Error('the exchange was given up'));
  }
}
