import { createSafeLogger, type Exchange, type Responder } from '@switchyard/protocol';
import { createMemoryRecordStore } from '@switchyard/stores';

import { compileApp } from './apps/app-resource.ts';
import { createPart } from './composition/create-part.ts';
import { addInterceptor, mount, settle } from './composition/mount.ts';
import { define, remove, setPart } from './composition/part.ts';
import { compileCacheHints, listCacheHints } from './definition/cache-hints.ts';
import { compilePrompt } from './definition/prompt.ts';
import { compileResource, compileResourceTemplate } from './definition/resource.ts';
import { compileTool } from './definition/tool.ts';
import { consoleLogger } from './dispatch/console-logger.ts';
import { createEndpoint, type EndpointSource } from './assembly/create-endpoint.ts';
import { offeredExtensions } from './assembly/server-extensions.ts';
import type { Kind } from './catalog/kinds.ts';
import { createResponder } from './dispatch/responder.ts';
import type { Server } from './server.ts';
import { assertServerOptions, type ServerInfo, type ServerOptions, toServerLimits } from './server-options.ts';
import { defineSkill, removeSkill } from './skills/define-skill.ts';
import { compileSkill } from './skills/skill.ts';
import { digestOfText } from './state/digest.ts';
import { createChangeHub } from './subscriptions/change-hub.ts';
import { toTasksOptions } from './tasks/tasks-options.ts';

/**
 * Creates an MCP server. It holds no connection and no session: the same server may be served over several transports at once.
 * Definitions are compiled when they are made and the lists are serialised on first use.
 *
 * @throws TypeError when name or version is missing, or an option is unknown or out of range.
 */
export function createServer(info: ServerInfo, options: ServerOptions = {}): Server {
  assertServerOptions(info, options);
  const { instructions, ...implementation } = info;
  const limits = toServerLimits(options);
  const logger = createSafeLogger(options.logger ?? consoleLogger);
  const changes = createChangeHub({
    bus: options.bus,
    // A digest, since a name may be longer than a bus takes topics.
    topic: `switchyard/changes/${digestOfText(info.name)}`,
    onFailure: (err) => logger.error({ err }, 'a change could not be told to every listener'),
  });
  const hints = compileCacheHints('createServer, cache', options.cache, listCacheHints);
  const part = createPart({ info: implementation, hints, pageSize: limits.pageSize, changes, offeredExtensions });
  let taskRecords = options.records;
  const source: EndpointSource = {
    info: implementation,
    instructions,
    // A copy: what the author does to the object later changes nothing.
    options: { ...options },
    limits,
    tasks: toTasksOptions(options.tasks ?? {}),
    taskRecords: () => (taskRecords ??= createMemoryRecordStore({ epochNow: options.epochNow ?? (() => Date.now()) })),
    changes,
    composition: part,
  };

  function defined(kind: Kind, key: string, entry: object): Server {
    define(part, kind, key, entry);
    return server;
  }

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
    resourceUpdated: (uri) => part.updated(uri),
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
