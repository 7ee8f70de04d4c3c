import type { Exchange, Responder } from '@switchyard/protocol';
import { createMemoryRecordStore } from '@switchyard/stores';

import { assertKnownOptions } from './assert-known-options.ts';
import { compileApp } from './apps/app-resource.ts';
import { type Catalog, createCatalog, type Definitions } from './dispatch/catalog.ts';
import { definitionsOf, hintsOf } from './composition/definitions-of.ts';
import type { Kind } from './composition/exposed-key.ts';
import { addInterceptor, mount, settle } from './composition/mount.ts';
import { createPart, define, hostsOf, remove, setPart } from './composition/part.ts';
import { createEndpoint, type EndpointSource } from './dispatch/create-endpoint.ts';
import { listCacheHints, toCacheHints } from './definition/cache-hints.ts';
import { assertIcons } from './definition/icons.ts';
import { compilePrompt } from './definition/prompt.ts';
import { compileResource, compileResourceTemplate } from './definition/resource.ts';
import { compileTool } from './definition/tool.ts';
import { createResponder } from './dispatch/responder.ts';
import type { Server } from './server.ts';
import { type ServerInfo, serverInfo, type ServerOptions, serverOptions, toServerLimits } from './server-options.ts';
import { defineSkill, removeSkill } from './skills/define-skill.ts';
import { compileSkill } from './skills/skill.ts';
import { requestStateOptions } from './state/request-state.ts';
import type { Change, ChangingList } from './subscriptions/change.ts';
import { createChangeHub } from './subscriptions/change-hub.ts';
import { toTasksOptions } from './tasks/tasks-options.ts';

/**
 * Creates an MCP server. It holds no connection and no session: the same server may be served over several transports at once.
 * Definitions are compiled when they are made and the lists are serialised on first use.
 *
 * @throws TypeError when name or version is missing, or an option is unknown or out of range.
 */
export function createServer(info: ServerInfo, options: ServerOptions = {}): Server {
  assertKnownOptions('createServer, the first argument', info, serverInfo);
  assertKnownOptions('createServer, the second argument', options, serverOptions);
  if (options.state !== undefined && options.state !== false)
    assertKnownOptions('createServer, state', options.state, requestStateOptions);
  for (const member of ['name', 'version'] as const)
    if (typeof info[member] !== 'string')
      throw new TypeError(`createServer: ${member} is missing; pass { name, version }, both texts`);
  const { instructions, ...implementation } = info;
  assertIcons(`server ${info.name}`, info.icons);
  const definitions: Definitions = {
    info: implementation,
    tools: new Map(),
    resources: new Map(),
    templates: new Map(),
    prompts: new Map(),
  };
  const hints = toCacheHints(options.cache, listCacheHints);
  const { pageSize = 500 } = options;
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw new TypeError(`pageSize must be an integer of at least 1, not ${pageSize}`);
  let snapshot: Catalog | undefined;
  let offersTasks = false;
  const catalog = (): Catalog => (snapshot ??= newCatalog());

  function newCatalog(): Catalog {
    const all = definitionsOf(part);
    // Tasks outlive the tool that made them.
    offersTasks ||= [...all.tools.values()].some(({ task }) => task !== undefined);
    return createCatalog(all, hintsOf(part), pageSize, { offersTasks });
  }

  const changes = createChangeHub({
    bus: options.bus,
    topic: `switchyard/changes/${info.name}`,
    onFailure: (err) => options.logger?.error({ err }, 'a change could not be told to every listener'),
  });
  const changed = new Set<ChangingList>();

  /** Drops the snapshot, and tells of the change once whatever else the author changes with it is done. */
  function change(list: ChangingList): void {
    snapshot = undefined;
    if (changed.size === 0) {
      queueMicrotask(() => {
        const told: readonly Change[] = [...changed].map((each) => ({ list: each }));
        changed.clear();
        for (const each of told) changes.announce(each);
      });
    }
    changed.add(list);
    for (const host of hostsOf(part)) host.changed(list);
  }

  function updated(uri: string): void {
    changes.announce({ uri });
    for (const host of hostsOf(part)) host.updated(uri);
  }

  function defined(kind: Kind, key: string, entry: object): Server {
    define(part, kind, key, entry);
    return server;
  }

  let taskRecords = options.records;
  const part = createPart({ definitions, hints, pageSize, catalog, changed: change, updated });
  const source: EndpointSource = {
    info: implementation,
    instructions,
    logger: options.logger,
    logRequests: options.logRequests,
    state: options.state ?? {},
    development: options.development,
    createReference: options.createReference,
    now: options.now,
    epochNow: options.epochNow,
    changes,
    records: options.records,
    taskRecords: () => (taskRecords ??= createMemoryRecordStore({ now: options.epochNow ?? (() => Date.now()) })),
    tasks: toTasksOptions(options.tasks ?? {}),
    hasBus: options.bus !== undefined,
    limits: toServerLimits(options),
    composition: part,
    catalog,
  };
  const server: Server = {
    tool: (name, definition, handler) => defined('tools', name, compileTool(name, definition, handler)),
    resource: (uri, definition, handler) => defined('resources', uri, compileResource(uri, definition, handler)),
    resourceTemplate: (uriTemplate, definition, handler) =>
      defined('templates', uriTemplate, compileResourceTemplate(uriTemplate, definition, handler)),
    prompt: (name, definition, handler) => defined('prompts', name, compilePrompt(name, definition, handler)),
    skill(definition) {
      defineSkill(part, compileSkill(definition));
      return server;
    },
    ui: (uri, definition, page) => defined('resources', uri, compileApp(uri, definition, page)),
    removeTool: (name) => remove(part, 'tools', name),
    removeResource: (uri) => remove(part, 'resources', uri),
    removeResourceTemplate: (uriTemplate) => remove(part, 'templates', uriTemplate),
    removePrompt: (name) => remove(part, 'prompts', name),
    removeSkill: (uri) => removeSkill(part, uri),
    resourceUpdated: updated,
    use(interceptor) {
      addInterceptor(part, interceptor);
      return server;
    },
    mount(prefix, other) {
      mount(part, prefix, other);
      return server;
    },
    endpoint(defaults) {
      settle(part);
      return createEndpoint(source, defaults);
    },
    respond: (text: string, exchange: Exchange) => respond(text, exchange),
  };
  const respond = lazily(() => createResponder(server.endpoint()));
  setPart(server, part);
  return server;
}

function lazily(create: () => Responder): Responder['respond'] {
  let responder: Responder | undefined;
  return (text, exchange) => (responder ??= create()).respond(text, exchange);
}
