import { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, type ScriptedServer, type ServerScript, toolDefinition } from '@switchyard/testing';
import { afterEach } from 'vitest';
import type { Host } from '../src/host.ts';
import { openTestHost } from './open-test-host.ts';

const hosts: Host[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

/** Closes a host after the test that opened it. */
export function closeAfterwards(host: Host): Host {
  hosts.push(host);
  return host;
}

/** Opens a host that its test need not close. */
export async function open(...args: Parameters<typeof openTestHost>): Promise<Host> {
  return closeAfterwards(await openTestHost(...args));
}

/** A tool with arguments to break and a default to fill in. */
export const getOrder = toolDefinition('get_order', {
  inputSchema: {
    type: 'object',
    properties: { order_id: { type: 'string' }, page: { type: 'integer', minimum: 1, default: 1 } },
    required: ['order_id'],
    additionalProperties: false,
  },
});

/** A server with something of each kind. */
export function orders(script: Partial<ServerScript> = {}): ScriptedServer {
  return createScriptedServer({
    tools: [getOrder, toolDefinition('cancel_order')],
    prompts: [{ name: 'review', arguments: [{ name: 'topic', required: true }, { name: 'tone' }] }],
    resources: [{ uri: 'policy://refunds', name: 'refunds' }],
    resourceTemplates: [{ uriTemplate: 'orders://{id}', name: 'order' }],
    ...script,
  });
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<ProtocolError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProtocolError)) throw new Error(`no ProtocolError: ${String(error)}`);
  return error;
}

/** Access lists of an agent that may get orders and ask to cancel them. */
export const reader = { allow: ['shop__get_order'], ask: ['shop__cancel_order'] };
