import { BodyBytes } from '../exchange/body-bytes.ts';
import type { HttpExchange, HttpStream } from '../exchange/http-exchange.ts';

/** An exchange whose stream, if it is open, can be broken off: nobody would end it after its handler failed. */
export interface FetchExchange extends HttpExchange {
  fail(error: unknown): void;
}

/** Makes the exchange of a request of a fetch runtime, whose response settles by `respond`. */
export function createFetchExchange(request: Request, respond: (response: Response) => void): FetchExchange {
  const abandoned: (() => void)[] = [];
  let done = false;
  let isAbandoned = false;
  let fail: FetchExchange['fail'] | undefined;
  let stopReading: HttpExchange['stopReading'] | undefined;
  const abandon = (): void => {
    if (done) return;
    done = true;
    isAbandoned = true;
    for (const callback of abandoned) callback();
  };
  if (request.signal.aborted) abandon();
  else request.signal.addEventListener('abort', abandon, { once: true });
  const onAbandoned: FetchExchange['onAbandoned'] = (callback) => {
    if (isAbandoned) callback();
    else abandoned.push(callback);
  };
  const { host, pathname, search } = new URL(request.url);
  return {
    head: {
      method: request.method,
      target: pathname + search,
      header: (key) => request.headers.get(key) ?? (key === 'host' ? host : undefined),
    },
    readBody: (maxBytes) =>
      new Promise((resolve) => {
        // Some runtimes tell that the caller went away by the signal alone, and let the body wait for ever.
        onAbandoned(() => resolve('broken-off'));
        const body = new BodyReader(request);
        stopReading = () => {
          resolve('too-slow');
          body.cancel();
        };
        void body.read(maxBytes).then(resolve);
      }),
    stopReading: () => stopReading?.(),
    reply(status, headers, body) {
      done = true;
      respond(new Response(body === '' ? null : body, { status, headers: { ...headers } }));
    },
    openStream(headers) {
      const body = createBodyStream(() => {
        done = true;
      }, abandon);
      fail = body.fail;
      respond(new Response(body.readable, { status: 200, headers: { ...headers } }));
      return body.stream;
    },
    onAbandoned,
    fail(error) {
      // Before whoever hears of the end closes the stream, which would look whole.
      fail?.(error);
      abandon();
    },
  };
}

function createBodyStream(
  ended: () => void,
  cancelled: () => void,
): { readable: ReadableStream<Uint8Array>; stream: HttpStream; fail: (error: unknown) => void } {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const readable = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
      },
      cancel() {
        controller = undefined;
        cancelled();
      },
    },
    // What is desired is then the negative of what lies unread.
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return {
    readable,
    stream: {
      write: (text) => controller?.enqueue(encoder.encode(text)),
      unreadBytes: () => -(controller?.desiredSize ?? 0),
      end() {
        ended();
        controller?.close();
        controller = undefined;
      },
    },
    fail(error) {
      controller?.error(error);
      controller = undefined;
    },
  };
}

/** Reads a body once. Iterating over it could not be ended while the next chunk is waited for. */
class BodyReader {
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  async read(maxBytes: number): ReturnType<HttpExchange['readBody']> {
    const body = new BodyBytes(maxBytes);
    try {
      this.#reader = this.#request.body?.getReader();
      for (;;) {
        const chunk = await this.#reader?.read();
        if (chunk?.value === undefined) break;
        if (body.add(chunk.value)) continue;
        this.cancel();
        return 'too-large';
      }
    } catch {
      // Whatever broke the body off, the caller cannot be answered any more.
      return 'broken-off';
    }
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(body.all()) };
    } catch {
      // A fatal decoder throws on invalid UTF-8 and on nothing else.
      return 'not-utf8';
    }
  }

  cancel(): void {
    // What is wrong with a body that nobody wants is of no use to anybody.
    this.#reader?.cancel().catch(() => undefined);
  }
}
