import { metaKeys } from './meta-key.ts';
import { type ClientCapabilities, clientCapabilities } from './model/capabilities.ts';
import { type Implementation, implementation } from './model/implementation.ts';
import { type LoggingLevel, loggingLevel } from './model/logging.ts';
import { describeMisfit, isJsonObject, type JsonObject, string, stringOrInteger } from './shape.ts';

/** What a request says about itself: all context that is needed to interpret it. */
export interface RequestMetadata {
  readonly protocolVersion: string;
  readonly clientCapabilities: ClientCapabilities;
  /** Self-reported: fit for display and debugging, never for a decision. */
  readonly clientInfo: Implementation | undefined;
  readonly logLevel: LoggingLevel | undefined;
  readonly progressToken: string | number | undefined;
  /** The whole `_meta` object as it came. */
  readonly meta: JsonObject;
}

/** The answer of {@link readRequestMetadata}: the metadata, or one sentence on what is missing or wrong. */
export type MetadataReading = { readonly metadata: RequestMetadata } | { readonly problem: string };

const members = [
  { key: metaKeys.protocolVersion, shape: string, required: true },
  { key: metaKeys.clientCapabilities, shape: clientCapabilities, required: true },
  { key: metaKeys.clientInfo, shape: implementation, required: false },
  { key: metaKeys.logLevel, shape: loggingLevel, required: false },
  { key: metaKeys.progressToken, shape: stringOrInteger, required: false },
] as const;

/**
 * The keys of `_meta` that a request speaks of itself with, which its sender alone sets: whoever hands a request on
 * leaves out what came under them. Spec: basic/index#meta (2026-07-28).
 */
export const requestMetaKeys: ReadonlySet<string> = new Set(members.map(({ key }) => key));

/**
 * Reads the metadata of a modern request from its `params`. A problem is answered with -32602 and HTTP status 400.
 *
 * Spec: basic/index#meta (2026-07-28).
 */
export function readRequestMetadata(params: JsonObject | undefined): MetadataReading {
  const meta = params?.['_meta'];
  if (meta === undefined)
    return {
      problem: `params._meta must be present with "${metaKeys.protocolVersion}" and "${metaKeys.clientCapabilities}"`,
    };
  if (!isJsonObject(meta)) return { problem: 'params._meta must be an object' };
  for (const { key, shape, required } of members) {
    const value = meta[key];
    if (value === undefined) {
      if (required) return { problem: `params._meta["${key}"] must be present` };
      continue;
    }
    const misfit = shape(value);
    if (misfit !== undefined) return { problem: describeMisfit(`params._meta["${key}"]`, misfit) };
  }
  return {
    metadata: {
      protocolVersion: meta[metaKeys.protocolVersion] as string,
      clientCapabilities: meta[metaKeys.clientCapabilities] as ClientCapabilities,
      clientInfo: meta[metaKeys.clientInfo] as Implementation | undefined,
      logLevel: meta[metaKeys.logLevel] as LoggingLevel | undefined,
      progressToken: meta[metaKeys.progressToken] as string | number | undefined,
      meta,
    },
  };
}
