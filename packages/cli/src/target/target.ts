import type {
  CallToolResult,
  GetPromptResult,
  JsonObject,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '@switchyard/protocol';
import type { Listed } from '../present/show-list.ts';
import type { ReportedProgress, ReportedTask } from '../present/show-progress.ts';

/** What is given with whatever takes time. */
export interface TargetOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ReportedProgress) => void;
  /** Told how the task stands that a server made of a call. */
  readonly onTask?: (task: ReportedTask) => void;
}

/** A server that a list lacks, and why. */
export interface MissingServer {
  readonly server: string;
  readonly message: string;
  /** The last lines that it wrote to stderr. */
  readonly stderr?: readonly string[];
}

/** A list of entries of one kind. */
export interface Listing<Definition> {
  readonly entries: readonly Listed<Definition>[];
  readonly missing: readonly MissingServer[];
  /** One sentence for each entry of a server that cannot be used, and for each access entry that matches nothing. */
  readonly warnings: readonly string[];
}

/**
 * What the verbs work on: an agent of a governed host, or one server without a host. What goes wrong is thrown, as a
 * failure where this side says no; a tool's own error is a result. Whoever opened it closes it.
 */
export interface Target {
  tools(options: TargetOptions): Promise<Listing<Tool>>;
  /** Resources, then the templates of further ones. */
  resources(options: TargetOptions): Promise<Listing<Resource | ResourceTemplate>>;
  prompts(options: TargetOptions): Promise<Listing<Prompt>>;
  /** Answers the definition of a tool, or `undefined` where the caller has no such tool. */
  findTool(name: string, options: TargetOptions): Promise<Tool | undefined>;
  call(name: string, args: JsonObject, options: TargetOptions): Promise<CallToolResult>;
  read(uri: string, options: TargetOptions): Promise<ReadResourceResult>;
  prompt(name: string, args: { readonly [name: string]: string }, options: TargetOptions): Promise<GetPromptResult>;
  /**
   * One sentence for each access entry that matches nothing of its server, as far as servers have said what they have:
   * a slip in a `deny` lets through what it should keep out.
   */
  accessWarnings(): readonly string[];
  /**
   * The last lines that a server without a host wrote to stderr, cleaned, also once it has ended; empty for one that
   * was not started here, and for a host, whose failures carry them.
   */
  lastWords(): readonly string[];
  /** Ends it and every process that it started. */
  close(): Promise<void>;
}
