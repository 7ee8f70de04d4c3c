import { metaKeys } from '@switchyard/protocol';
import type { CallOptions } from '@switchyard/host';
import type { RequestContext } from '@switchyard/server';

/** What of a caller's `_meta` goes on to the server: the trace, so that one trace shows the whole way. Nothing else of it does. */
const passedOn = [metaKeys.traceparent, metaKeys.tracestate] as const;

/** Answers the options of a governed call for one request: its cancellation, and its progress where the caller asked for it. */
export function toCallOptions(context: RequestContext): CallOptions {
  const { meta } = context;
  const traced = passedOn.filter((key) => typeof meta[key] === 'string');
  return {
    signal: context.signal,
    ...(meta[metaKeys.progressToken] === undefined
      ? {}
      : { onProgress: ({ progress, total, message }) => context.progress(progress, total, message) }),
    ...(traced.length === 0 ? {} : { meta: Object.fromEntries<unknown>(traced.map((key) => [key, meta[key]])) }),
  };
}
