import { metaKeys, type Principal } from '@switchyard/protocol';
import type { Server } from '@switchyard/server';

import { metaOf, type Received } from '../wire.ts';

/** What a client of these tests declares. */
export const everyCapability = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };

/** The metadata of a client that declares `capabilities`. */
export function declaring(capabilities: object): object {
  return metaOf({ [metaKeys.clientCapabilities]: capabilities });
}

/** One answer of a server to a request that may ask. */
export interface Answer {
  readonly error: Received['error'];
  readonly result: Received['result'];
  /** The keys that are asked, in order. */
  readonly asks: readonly string[];
  readonly state: string | undefined;
  /** The text of the first content block. */
  readonly text: string | undefined;
}

/** What a retry brings. */
export interface Retry {
  readonly state?: string | undefined;
  readonly answers?: { readonly [key: string]: unknown };
  readonly principal?: Principal;
  readonly capabilities?: object;
  readonly signal?: AbortSignal;
  readonly method?: string;
  /** Further members of the params. */
  readonly others?: object;
}

let nextId = 0;

/** Sends one request of a tool to a server in memory. */
export async function send(server: Server, name: string, args: object = {}, retry: Retry = {}): Promise<Answer> {
  const { method = 'tools/call', principal } = retry;
  const target = method === 'resources/read' ? { uri: name } : { name, arguments: args };
  nextId += 1;
  const text = await server.respond(
    JSON.stringify({
      jsonrpc: '2.0',
      id: nextId,
      method,
      params: {
        ...target,
        ...retry.others,
        ...(retry.state === undefined ? {} : { requestState: retry.state }),
        ...(retry.answers === undefined ? {} : { inputResponses: retry.answers }),
        _meta: declaring(retry.capabilities ?? everyCapability),
      },
    }),
    {
      signal: retry.signal ?? new AbortController().signal,
      ...(principal === undefined ? {} : { principal }),
      send: () => undefined,
    },
  );
  const { result, error } = JSON.parse(text ?? '{}') as Received;
  const content = result?.['content'] as readonly { readonly text?: string }[] | undefined;
  return {
    error,
    result,
    asks: Object.keys(result?.['inputRequests'] ?? {}),
    state: result?.['requestState'] as string | undefined,
    text: content?.[0]?.text,
  };
}

/** An accepted form. */
export function accept(content: object): object {
  return { action: 'accept', content };
}
