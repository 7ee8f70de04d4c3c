import type { JsonObject } from '@switchyard/protocol';
import { afterEach } from 'vitest';
import { type Client, type ClientWarning, connect, type ConnectOptions } from '../../src/index.ts';
import { createScriptedPeer, type ScriptedPeer } from '../scripted-peer.ts';

const clients: Client[] = [];

/** What the client of the current test warned of. */
export const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** What a server answers: the entries of its lists, and a result for each method, which may depend on the params. */
export interface ToolServer {
  readonly tools?: readonly JsonObject[] | (() => readonly JsonObject[]);
  readonly results?: { readonly [method: string]: JsonObject };
  /** Notes of the call that is answered. */
  readonly before?: (peer: ScriptedPeer, id: number) => void;
  /** The same of a list that is answered. */
  readonly beforeList?: (peer: ScriptedPeer) => void;
}

/** A client of a modern server named depot on a duplex connection. */
export async function reach(
  { tools = [], results = {}, before, beforeList }: ToolServer,
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly peer: ScriptedPeer }> {
  const peer: ScriptedPeer = createScriptedPeer(({ id, method = '' }) => {
    if (id === undefined || method === 'server/discover') return false;
    if (method === 'tools/call') before?.(peer, id);
    if (method === 'tools/list') beforeList?.(peer);
    const listed = (): object => ({
      tools: typeof tools === 'function' ? tools() : tools,
      ttlMs: 0,
      cacheScope: 'private',
    });
    peer.answer(id, { resultType: 'complete', ...(method === 'tools/list' ? listed() : results[method]) });
    return true;
  });
  const client = await connect(peer.transport, {
    name: 'depot',
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  clients.push(client);
  return { client, peer };
}

/** The definition of a tool. */
export const tool = (name: string, inputSchema: JsonObject = {}, outputSchema?: JsonObject): JsonObject => ({
  name,
  inputSchema: { type: 'object', ...inputSchema },
  ...(outputSchema === undefined ? {} : { outputSchema }),
});

/** A result with a structured form, and a text of its own. */
export const structured = (structuredContent: unknown, ...texts: string[]): JsonObject => ({
  content: texts.map((text) => ({ type: 'text', text })),
  structuredContent,
});
