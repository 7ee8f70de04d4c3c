import type {
  DiscoverResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import type { Freshness } from '../call/freshness.ts';
import type { Listed } from '../call/listed.ts';

/**
 * The methods of a client whose answers are kept.
 *
 * A list is read to its end: all pages, one after the other, with their entries in the server's order, each name or URI
 * once. It ends early, with a warning, after 1,000 pages, 50,000 entries, or pages that together exceed four times
 * `maxMessageBytes`. Entries that cannot be used are in `leftOut`; they are no failure.
 *
 * It is asked for whatever the server says of its capabilities. Where the server knows no such list (-32601) and never
 * said that it has one, the list is empty, and so is that of templates beside resources; where it said so, its error is
 * thrown.
 *
 * Spec: server/utilities/pagination, server/utilities/caching (2026-07-28).
 */
export interface ClientReads {
  /**
   * Asks a modern server what it offers; of a legacy one it answers what was learned at the start. Spec:
   * server/discover (2026-07-28).
   */
  discover(options?: CallOptions): Promise<DiscoverResult & Freshness>;
  /** All tools; those whose schemas cannot be used are left out. Spec: server/tools#listing-tools (2026-07-28). */
  listTools(options?: CallOptions): Promise<Listed & { readonly tools: readonly Tool[] }>;
  /** All resources that are listed. Spec: server/resources#listing-resources (2026-07-28). */
  listResources(options?: CallOptions): Promise<Listed & { readonly resources: readonly Resource[] }>;
  /** All templates for URIs of resources. Spec: server/resources#resource-templates (2026-07-28). */
  listResourceTemplates(
    options?: CallOptions,
  ): Promise<Listed & { readonly resourceTemplates: readonly ResourceTemplate[] }>;
  /** All prompts. Spec: server/prompts#listing-prompts (2026-07-28). */
  listPrompts(options?: CallOptions): Promise<Listed & { readonly prompts: readonly Prompt[] }>;
  /**
   * Reads a resource. `isResourceNotFound` says whether a rejection means that there is none. Spec:
   * server/resources#reading-resources (2026-07-28).
   */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult & Freshness>;
}
