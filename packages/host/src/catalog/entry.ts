import type { Prompt, Resource, ResourceTemplate, Tool, UriTemplate } from '@switchyard/protocol';
import type { SchemaProblem } from '@switchyard/protocol/schema';
import type { Governed } from '../policy/governed.ts';

/** A tool as an agent sees it: the server's definition under its exposed name, with where it comes from. */
export interface ExposedTool extends Tool {
  /** The configured name of the server. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly originalName: string;
}

/** A prompt as an agent sees it. */
export interface ExposedPrompt extends Prompt {
  readonly server: string;
  readonly originalName: string;
}

/** A resource as an agent sees it: under its own URI, or under a qualified one where several servers claim that. */
export interface ExposedResource extends Resource {
  readonly server: string;
  readonly originalUri: string;
}

/** A resource template as an agent sees it. */
export interface ExposedResourceTemplate extends ResourceTemplate {
  readonly server: string;
  readonly originalUriTemplate: string;
}

interface NamedEntry {
  /** The exposed name, which tells it from the server's other entries of its kind. */
  readonly key: string;
  readonly server: string;
  /** The server's own name. */
  readonly name: string;
  readonly governed: Governed;
  /** SHA-256 in hex over the canonical JSON of the definition. */
  readonly digest: string;
  /** The argument names that the definition declares. */
  readonly declared: ReadonlySet<string>;
}

/** Answers the rule of a schema that a value breaks, or `undefined`. */
export type SchemaCheck = (value: unknown) => SchemaProblem | undefined;

/** The checks of a tool's schemas. */
export interface ToolChecks {
  /** Fills defaults into the arguments. */
  readonly input: SchemaCheck;
  /** Absent without an output schema. */
  readonly output?: SchemaCheck;
}

/** A tool of a server, ready to be called. */
export interface ToolEntry extends NamedEntry {
  readonly definition: Tool;
  /** The definition as an agent sees it, without an `outputSchema` that cannot be read. */
  readonly exposed: ExposedTool;
  /** Why its results are not checked although it has an `outputSchema`; absent where that can be read. */
  readonly unchecked?: string;
  /** Answers the checks of its schemas, which are compiled on first use, or why a schema cannot be compiled. */
  checks(): ToolChecks | { readonly problem: string };
}

/** A prompt of a server. */
export interface PromptEntry extends NamedEntry {
  readonly definition: Prompt;
  readonly exposed: ExposedPrompt;
}

/** A resource that a server lists. */
export interface ResourceEntry {
  /** The server's own URI. */
  readonly key: string;
  readonly server: string;
  readonly governed: Governed;
  readonly definition: Resource;
}

/** A resource template that a server lists. */
export interface TemplateEntry {
  /** The server's own URI template. */
  readonly key: string;
  readonly server: string;
  readonly governed: Governed;
  readonly definition: ResourceTemplate;
  readonly template: UriTemplate;
}

/** An entry made ready, or the shortened name of one that cannot be used and why, in one sentence. */
export type EntryReading<E> = { readonly entry: E } | { readonly name: string; readonly reason: string };
