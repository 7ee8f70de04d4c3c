import { type JsonObject, stringifyJson } from '@switchyard/protocol';
import { afterEach } from 'vitest';
import { type Client, type ClientWarning, connect, type ConnectOptions, type InputHandlers } from '../../src/index.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { createScriptedPeer, type ScriptedPeer, type Written } from '../scripted-peer.ts';

/** Answers the n-th request of its kind, beginning with 1; `undefined` leaves it to the test. */
type Script = (message: Written, round: number) => JsonObject | undefined;

/** A modern server on a duplex connection that asks, and its client. */
export interface Asking {
  readonly client: Client;
  readonly peer: ScriptedPeer;
  readonly clock: ManualClock;
  /** The requests that may ask, as they were written. */
  readonly requests: () => readonly Written[];
}

/** What the clients of the current test warned of. */
export const warnings: ClientWarning[] = [];
const clients: Client[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** The methods that a server may ask at. */
const askingMethods = new Set<string | undefined>(['tools/call', 'resources/read', 'prompts/get']);

/** Connects a client with handlers to a server that follows a script. */
export async function serveAsking(
  script: Script,
  input?: InputHandlers,
  options: ConnectOptions = {},
): Promise<Asking> {
  const clock = createManualClock();
  let rounds = 0;
  const peer = createScriptedPeer((message) => {
    if (!askingMethods.has(message.method)) return false;
    const result = script(message, (rounds += 1));
    if (result !== undefined) peer.sendText(stringifyJson({ jsonrpc: '2.0', id: message.id, result }));
    return true;
  });
  return ask(peer, clock, { ...(input === undefined ? {} : { input }), ...options });
}

/** Connects a client with handlers to a legacy server that speaks when the test says so. */
export async function serveLegacy(
  input?: InputHandlers,
  options: ConnectOptions = {},
  protocolVersion = '2025-11-25',
): Promise<Asking> {
  const clock = createManualClock();
  const peer = createScriptedPeer(({ id, method }) => {
    if (method === 'server/discover') peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
    else if (method === 'initialize') {
      peer.answer(id, {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      });
    } else return false;
    return true;
  });
  return ask(peer, clock, { ...(input === undefined ? {} : { input }), ...options });
}

/** The answers that a client gave to requests of the server. */
export const answersIn = ({ written }: ScriptedPeer): readonly Written[] =>
  written.filter(({ method }) => method === undefined);

/** A result that asks for input. */
export const asks = (inputRequests: JsonObject, requestState?: string): JsonObject => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});

/** A result that only has a state. */
export const goesOn = (requestState: string): JsonObject => ({ resultType: 'input_required', requestState });

/** The result of a tool that is done. */
export const done: JsonObject = { resultType: 'complete', content: [] };

/** A request for a form. */
export const form = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  method: 'elicitation/create',
  params: { message: 'Which berth?', requestedSchema: { type: 'object', properties, ...more } },
});

/** A request to open a page. */
export const page = (url: string, more: JsonObject = {}): JsonObject => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Link your account', url, ...more },
});

/** A request to a model. */
export const question = (params: JsonObject = {}): JsonObject => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'One word?' } }], maxTokens: 5, ...params },
});

/** What a model said. */
export const said = (text: string) =>
  ({ role: 'assistant', content: { type: 'text', text }, model: 'tiny', stopReason: 'endTurn' }) as const;

/** The answers that the n-th request carried, beginning with 0. */
export const responsesOf = ({ requests }: Asking, index: number): unknown =>
  requests()[index]?.params?.['inputResponses'];

async function ask(peer: ScriptedPeer, clock: ManualClock, options: ConnectOptions): Promise<Asking> {
  const client = await connect(peer.transport, {
    name: 'depot',
    clock,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  clients.push(client);
  const requests = () => peer.written.filter(({ method }) => askingMethods.has(method));
  return { client, peer, clock, requests };
}
