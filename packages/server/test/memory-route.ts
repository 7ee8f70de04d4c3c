import type { Server } from '@switchyard/server';

import { callOf, type Received, requestOf } from './wire.ts';

/** A server in memory, and what it sent. */
export interface MemoryRoute {
  /** Notifications so far, of all requests. */
  readonly notifications: Received[];
  send(message: object): Promise<Received | undefined>;
  request(method: string, params?: object, meta?: object): Promise<Received>;
  /** Calls a tool and answers the result, or throws the error response. */
  call(name: string, args?: object, meta?: object): Promise<CallResult>;
}

/** A tool result as a test reads it. */
export interface CallResult {
  readonly resultType: string;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta: object;
}

/** Talks to a server in memory, in JSON text as every transport does. */
export function openMemory(
  server: Server,
  { signal = new AbortController().signal, principal }: { signal?: AbortSignal; principal?: { subject: string } } = {},
): MemoryRoute {
  const notifications: Received[] = [];
  const send = async (message: object): Promise<Received | undefined> => {
    const text = await server.respond(JSON.stringify(message), {
      signal,
      ...(principal === undefined ? {} : { principal }),
      send: (notification) => notifications.push(JSON.parse(notification) as Received),
    });
    return text === undefined ? undefined : (JSON.parse(text) as Received);
  };
  const request = async (message: object): Promise<Received> => {
    const response = await send(message);
    if (response === undefined) throw new Error('the server sent no response');
    return response;
  };
  return {
    notifications,
    send,
    request: (method, params = {}, meta) => request(requestOf(method, params, meta === undefined ? {} : { meta })),
    async call(name, args = {}, meta) {
      const { result, error } = await request(callOf(name, args, meta === undefined ? {} : { meta }));
      if (error !== undefined) throw Object.assign(new Error(error.message), error);
      return result as object as CallResult;
    },
  };
}
