import { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, type ScriptedServer } from '@switchyard/testing';
import type { Host } from '../src/host.ts';

/** The names of the tools that agent `reader` sees. */
export async function toolNames(host: Host): Promise<string[]> {
  return (await host.as('reader').tools()).tools.map(({ name }) => name);
}

/** A server that answers everything with an error. */
export function down(): ScriptedServer {
  return createScriptedServer({
    answer() {
      throw new ProtocolError('internalError', 'out of order');
    },
  });
}
