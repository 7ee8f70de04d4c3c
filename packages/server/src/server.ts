import type { Responder } from '@switchyard/protocol';

import type { AppDefinition, AppPage } from './apps/app-resource.ts';
import type { Interceptor } from './composition/interceptor.ts';
import type { EndpointDefaults } from './assembly/create-endpoint.ts';
import type { PromptArguments, PromptDefinition, PromptHandler } from './definition/prompt.ts';
import type {
  ResourceDefinition,
  ResourceHandler,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
} from './definition/resource.ts';
import type { ToolDefinition, ToolHandler } from './definition/tool.ts';
import type { ValueSchema } from './schema/value-schema.ts';
import type { Endpoint } from './dispatch/endpoint.ts';
import type { SkillDefinition } from './skills/skill.ts';

/**
 * An MCP server: definitions, and the endpoint that serves them. Definitions may come and go while it is served: a
 * request sees those of the moment at which it arrives, and clients that listen are told once for whatever changed in
 * one go; to change a definition, remove it and define it anew. Served by `serveHttp`, `serveStdio`, `toNode`,
 * `toFetch`.
 */
export interface Server extends Responder {
  /**
   * Defines a tool. Argument and result types follow from `input` and `output`.
   *
   * Spec: server/tools (2026-07-28).
   *
   * @throws TypeError when the name is taken, or the name or a schema breaks a rule of the protocol.
   */
  tool<I extends ValueSchema | undefined = undefined, O extends ValueSchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<I, O>,
    handler: ToolHandler<I, O>,
  ): Server;
  /** Defines a resource under a fixed URI. Spec: server/resources (2026-07-28). */
  resource(uri: string, definition: ResourceDefinition, handler: ResourceHandler): Server;
  /**
   * Defines a family of resources under an RFC 6570 template. Spec: server/resources#resource-templates (2026-07-28).
   */
  resourceTemplate<V extends ValueSchema | undefined = undefined>(
    uriTemplate: string,
    definition: ResourceTemplateDefinition<V>,
    handler: ResourceTemplateHandler<V>,
  ): Server;
  /** Defines a prompt. Spec: server/prompts (2026-07-28). */
  prompt<const A extends PromptArguments = Record<never, never>>(
    name: string,
    definition: PromptDefinition<A>,
    handler: PromptHandler<A>,
  ): Server;
  /**
   * Defines a skill: instructions that a model reads when it needs them, with the files that they speak of. Clients
   * find it by `skills/list`, and read its files as resources. `readSkills` of `@switchyard/server/node` reads skills
   * from a folder.
   *
   * Spec: SEP-2640 (extension `io.modelcontextprotocol/skills`).
   *
   * @throws TypeError when a file's URI is taken, or a name, path or size breaks a rule.
   */
  skill(definition: SkillDefinition): Server;
  /**
   * Defines an app: a page that hosts show beside the results of the tools that are linked to it, with
   * `ui: { resourceUri }`.
   *
   * Spec: extensions/apps/overview (extension `io.modelcontextprotocol/ui`).
   *
   * @throws TypeError when the URI is taken or not `ui:`, an origin is none, or a permission is unknown.
   */
  ui(uri: string, definition: AppDefinition, page: AppPage): Server;
  /**
   * Removes a tool and answers whether there was one. Calls that run end as they would; the clients that listen are
   * told.
   */
  removeTool(name: string): boolean;
  /** Removes a resource and answers whether there was one; reads that run end as they would, the clients that listen are told. */
  removeResource(uri: string): boolean;
  /** Removes a resource template by its text and answers whether there was one; as with `removeResource`. */
  removeResourceTemplate(uriTemplate: string): boolean;
  /** Removes a prompt and answers whether there was one; as with `removeResource`. */
  removePrompt(name: string): boolean;
  /** Removes a skill by the URI of its `SKILL.md`, with its files, and answers whether there was one. */
  removeSkill(uri: string): boolean;
  /** Tells the clients that listen that a resource holds something else now. */
  resourceUpdated(uri: string): void;
  /**
   * Wraps every request that the server answers, of each method; the first interceptor is the outermost. Of a mounted
   * server it wraps what is its own, under its own names, wherever it is mounted.
   *
   * @throws TypeError when the server, or one that it is mounted in, is served already.
   */
  use(interceptor: Interceptor): Server;
  /**
   * Serves what another server defines, now and later: its tools and prompts as `<prefix>_<name>`, its resources and
   * templates under the URIs that they have. `other` still works alone. State, logs, deadlines and instructions are
   * those of the server that is served.
   *
   * @throws TypeError when the prefix is not 1 to 64 characters of `A-Z a-z 0-9 _ -` or has a server, a name or URI is
   *   taken or a name longer than 128 characters (whichever comes second, here or in a later definition), `other` holds
   *   this server, or the server, or one that it is mounted in, is served already.
   */
  mount(prefix: string, other: Server): Server;
  /**
   * What a transport serves, with `defaults` for what the author did not choose. Both types are of
   * `@switchyard/server/endpoint`, for those who serve it by themselves.
   *
   * @throws TypeError when definitions break a rule of an extension: a tool is linked to an app that there is not.
   */
  endpoint(defaults?: EndpointDefaults): Endpoint;
}
