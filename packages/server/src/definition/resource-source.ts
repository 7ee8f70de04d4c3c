/**
 * Bytes that are read where they are wanted: a file, an object in a store, a column of a database.
 * `@switchyard/server/node` makes one of a file. The server reads one part of it for one request and closes it,
 * whatever happened.
 */
export interface ResourceSource {
  /** Bytes in all; absent where that is not known before the end is read. */
  readonly size?: number;
  /** The MIME type of what it holds; absent: that of the definition. */
  readonly mimeType?: string;
  /** Text that changes whenever the bytes do, such as an ETag, of at most 256 characters. */
  readonly version?: string;
  /** When the bytes last changed, in ISO 8601. */
  readonly lastModified?: string;
  /**
   * Answers at most `length` bytes from `offset` on; fewer are asked for again, and none mean that the end is reached.
   * `signal` aborts when the caller cancels or goes away.
   */
  read(offset: number, length: number, signal: AbortSignal): Uint8Array | Promise<Uint8Array>;
  /** Ends the source, whose bytes are not looked at any more. */
  close?(): void | Promise<void>;
}

/** Bytes, or text that is sent as UTF-8, as they come. The server takes what it sends and closes the stream then. */
export type ResourceStream = ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/** Whether a value can be asked for bytes at an offset. */
export function isResourceSource(value: object): value is ResourceSource {
  return 'read' in value && typeof value.read === 'function' && !isResourceStream(value);
}

/** Whether a value gives chunks one after the other. A stream of Node has a `read` as well, which is another one. */
export function isResourceStream(value: object): value is ResourceStream {
  return (
    (Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function') ||
    ('getReader' in value && typeof value.getReader === 'function')
  );
}
