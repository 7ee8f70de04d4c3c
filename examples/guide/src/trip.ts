import { createServer } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import * as z from 'zod';

const seats = [
  { id: 'A1', price: 40 },
  { id: 'B7', price: 25 },
];
const charged: string[] = [];

/**
 * A server that books seats: it looks for some, lets the user choose, asks again before it charges, and charges once.
 */
export const trips = createServer(
  { name: 'trips', version: '1.0.0' },
  // For one process. Several share SQLite, PostgreSQL or Redis.
  { records: createMemoryRecordStore() },
);

trips.tool(
  'book_seat',
  { description: 'Books a seat on a train', input: z.object({ order: z.string(), to: z.string() }) },
  async ({ order, to }, ctx) => {
    // Journaled: in later rounds the value is there at once.
    const offers = await ctx.step('offers', () => Promise.resolve(seats));

    const choice = await ctx.elicit('seat', {
      message: `Which seat to ${to}?`,
      schema: z.object({ seat: z.enum(['A1', 'B7']) }),
    });
    if (choice.action !== 'accept') return 'Nothing was booked.';
    const offer = offers.find(({ id }) => id === choice.content.seat);

    // Asked on their own, since the answer above decides what they say; awaited together, they are sent together.
    const [consent, receipt] = await Promise.all([
      ctx.elicit('consent', { message: `Pay ${offer?.price} euro?`, schema: z.object({ pay: z.boolean() }) }),
      ctx.elicit('receipt', { message: 'Where to send the receipt?', schema: z.object({ mail: z.email() }) }),
    ]);
    if (consent.action !== 'accept' || !consent.content.pay) return 'Nothing was booked.';

    // At most once for this order, whatever is repeated or dies.
    const payment = await ctx.once(`charge-${order}`, () => charged.push(order));
    return { seat: offer?.id, payment, receipt: receipt.action === 'accept' ? receipt.content.mail : null };
  },
);
