import type { Revision } from './revision.ts';

/** A part of the protocol that is on its way out. */
export interface DeprecatedFeature {
  /** What the specification calls it. */
  readonly name: string;
  /** The revision since which it is deprecated. */
  readonly since: Revision;
  /** What to do instead, in one sentence. */
  readonly migration: string;
  /**
   * The first day (YYYY-MM-DD) on which a new revision may leave it out; it may stay longer. Three months after
   * SEP-2596 became final for what was deprecated before there was a policy.
   */
  readonly earliestRemoval: string;
  /** What of Switchyard goes with it. */
  readonly api: readonly string[];
}

/**
 * Every deprecated feature that Switchyard still speaks, each declared once: docstrings, the guide and the adapter for
 * old clients repeat what stands here. A feature goes no earlier than the date, and no release of Switchyard takes it
 * away before the specification does.
 *
 * Spec: deprecated (2026-07-28).
 */
export const deprecatedFeatures = {
  roots: {
    name: 'Roots',
    since: '2026-07-28',
    migration:
      'Take folders and files as arguments of a tool, as resource URIs, or from the configuration of the server.',
    earliestRemoval: '2027-07-28',
    api: ['ctx.roots', 'rootsQuestion'],
  },
  sampling: {
    name: 'Sampling',
    since: '2026-07-28',
    migration: 'Call the API of a model provider from the handler.',
    earliestRemoval: '2027-07-28',
    api: ['ctx.sample', 'samplingQuestion'],
  },
  logging: {
    name: 'Logging',
    since: '2026-07-28',
    migration: 'Write to standard error over stdio, and use OpenTelemetry for observability.',
    earliestRemoval: '2027-07-28',
    api: ['ctx.log', 'logging/setLevel'],
  },
  dynamicClientRegistration: {
    name: 'Dynamic Client Registration',
    since: '2026-07-28',
    migration: 'Publish a Client ID Metadata Document and use its URL as the client id.',
    earliestRemoval: '2027-07-28',
    api: [],
  },
  includeContext: {
    name: 'includeContext "thisServer" and "allServers"',
    since: '2025-11-25',
    migration: 'Leave `includeContext` out, or set it to "none".',
    earliestRemoval: '2027-07-28',
    api: ['includeContext of ctx.sample'],
  },
  httpSse: {
    name: 'HTTP+SSE transport',
    since: '2025-03-26',
    migration: 'Use Streamable HTTP: the same URL takes every message as a POST.',
    earliestRemoval: '2026-09-03',
    api: ['legacyClients({ httpSse })'],
  },
} as const satisfies { readonly [feature: string]: DeprecatedFeature };
