import { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, type ScriptedServer, type ServerScript, toolDefinition } from '@switchyard/testing';

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

/** The audit of a call of `get_order` that ran and ended for a reason. */
export const ran = (reason: string): string[] => ['intent shop get_order', `outcome ${reason} shop get_order`];
