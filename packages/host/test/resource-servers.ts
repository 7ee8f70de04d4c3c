import { createScriptedServer, type ScriptedServer } from '@switchyard/testing';
import type { Host } from '../src/host.ts';

/** A server that lists resources. */
export const listing = (...uris: string[]): ScriptedServer =>
  createScriptedServer({ resources: uris.map((uri) => ({ uri, name: uri })) });

/** A server that lists resource templates. */
export const templates = (...sources: string[]): ScriptedServer =>
  createScriptedServer({ resourceTemplates: sources.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })) });

/** The URIs of the resources that an agent sees. */
export async function uris(host: Host, agent = 'reader'): Promise<string[]> {
  return (await host.as(agent).resources()).resources.map(({ uri }) => uri);
}

/** The URIs that a server was asked to read. */
export const readsOf = (server: ScriptedServer): unknown[] => server.paramsOf('resources/read').map(({ uri }) => uri);
