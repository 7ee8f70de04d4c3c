import { createServer, InputError, type Server, type ServerOptions, ToolError } from '@switchyard/server';
import { openSqliteRecordStore } from '@switchyard/stores/sqlite';
import * as z from 'zod';

/** The system that charges cards. */
export interface Provider {
  /** Charges for an order and answers the number of the payment. */
  charge(order: string): Promise<string>;
  /** Answers the number of the payment for an order, if there is one. */
  find(order: string): Promise<string | undefined>;
}

/**
 * A server that charges each order once, whatever dies. Its records outlive the process, in a file that all instances
 * open.
 */
export async function openPayments(
  path: string,
  provider: Provider,
  options: ServerOptions = {},
): Promise<{ readonly server: Server; readonly close: () => Promise<void> }> {
  const records = await openSqliteRecordStore({ path, durability: 'disk' });
  const server = createServer({ name: 'payments', version: '1.0.0' }, { ...options, records });
  const input = z.object({ order: z.string() });

  server.tool('charge', { description: 'Charges for an order', input }, async ({ order }, ctx) => {
    try {
      return { payment: await ctx.once(`charge-${order}`, () => provider.charge(order)) };
    } catch (e) {
      // A process died while it charged. Without these lines the caller gets a reference, and only the log says why.
      if (e instanceof InputError && e.code === 'unknown-outcome')
        throw new ToolError(`Nobody knows whether ${order} was charged: look at the bank account before anything else`);
      throw e;
    }
  });

  server.tool('charge_or_find', { description: 'Charges for an order', input }, async ({ order }, ctx) => {
    const payment = await ctx.once(`charge-or-find-${order}`, () => provider.charge(order), {
      // Runs in its place when a process died while it charged; what it answers or throws is the outcome from then on.
      reconcile: async () => (await provider.find(order)) ?? provider.charge(order),
    });
    return { payment };
  });

  return { server, close: () => records.close() };
}
