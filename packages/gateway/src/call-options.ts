import { metaKeys } from '@switchyard/protocol';
import type { CallOptions } from '@switchyard/host';
import type { RequestContext } from '@switchyard/server';
import { traceOf } from './trace-of.ts';

/**
 * Answers the options of a governed call for one request: its cancellation, and its progress where the caller asked for
 * it.
 */
export function toCallOptions(context: RequestContext): CallOptions {
  const { meta } = context;
  const trace = traceOf(meta);
  return {
    signal: context.signal,
    ...(meta[metaKeys.progressToken] === undefined
      ? {}
      : { onProgress: ({ progress, total, message }) => context.progress(progress, total, message) }),
    ...(Object.keys(trace).length === 0 ? {} : { meta: trace }),
  };
}
