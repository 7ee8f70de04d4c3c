import { extensions, metaKeys, type Principal } from '@switchyard/protocol';
import type { Server } from '@switchyard/server';
import { expect } from 'vitest';

import { metaOf, type Received } from '../wire.ts';

/** A task as a test reads it. */
export interface ReadTask {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs?: number;
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params: object } };
  readonly result?: {
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly resultType?: string;
}

/** Who sends, and what they declare. */
export interface Sender {
  readonly principal?: Principal | undefined;
  readonly capabilities?: object;
  readonly signal?: AbortSignal;
}

/** What a client of tasks declares. */
export const takesTasks = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { [extensions.tasks]: {} },
};

let nextId = 0;

/** Sends one request to a server in memory. */
export async function request(
  server: Server,
  method: string,
  params: object,
  { principal, capabilities = takesTasks, signal = new AbortController().signal }: Sender = {},
): Promise<Received> {
  nextId += 1;
  const meta = metaOf({ [metaKeys.clientCapabilities]: capabilities });
  const text = await server.respond(
    JSON.stringify({ jsonrpc: '2.0', id: nextId, method, params: { ...params, _meta: meta } }),
    {
      signal,
      ...(principal === undefined ? {} : { principal }),
      send: () => undefined,
    },
  );
  return JSON.parse(text ?? '{}') as Received;
}

/** Calls a tool and answers its result. */
export async function call(server: Server, name: string, args: object = {}, sender: Sender = {}): Promise<ReadTask> {
  const { result, error } = await request(server, 'tools/call', { name, arguments: args }, sender);
  if (error !== undefined) throw Object.assign(new Error(error.message), error);
  return result as object as ReadTask;
}

/** Calls a tool that becomes a task, and answers its id. */
export async function begin(server: Server, name: string, args: object = {}, sender: Sender = {}): Promise<string> {
  const created = await call(server, name, args, sender);
  expect(created.resultType).toBe('task');
  return created.taskId;
}

/** Reads a task, or throws the error. */
export async function get(server: Server, taskId: string, sender: Sender = {}): Promise<ReadTask> {
  const { result, error } = await request(server, 'tasks/get', { taskId }, sender);
  if (error !== undefined) throw Object.assign(new Error(error.message), error);
  return result as object as ReadTask;
}

/** Answers questions of a task. */
export function update(server: Server, taskId: string, inputResponses: object, sender: Sender = {}): Promise<Received> {
  return request(server, 'tasks/update', { taskId, inputResponses }, sender);
}

/** Cancels a task. */
export function cancel(server: Server, taskId: string, sender: Sender = {}): Promise<Received> {
  return request(server, 'tasks/cancel', { taskId }, sender);
}

/** Reads a task until it is in a state. */
export async function until(server: Server, taskId: string, status: string, sender: Sender = {}): Promise<ReadTask> {
  await expect
    .poll(async () => (await get(server, taskId, sender)).status, { timeout: 8_000, interval: 5 })
    .toBe(status);
  return get(server, taskId, sender);
}

/** An accepted form. */
export function accept(content: object): object {
  return { action: 'accept', content };
}

/** Something that a test lets happen. */
export function gate<T = void>(): { readonly open: (value: T) => void; readonly opened: Promise<T> } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { open: resolve, opened: promise };
}

/** The metadata of a request whose caller takes tasks and wants to hear of progress. */
export function metaWithToken(): object {
  return { ...metaOf({ [metaKeys.clientCapabilities]: takesTasks }), progressToken: 'p' };
}
