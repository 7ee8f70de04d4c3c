import { createServer, formQuestion, inputRequired } from '@switchyard/server';
import * as z from 'zod';

/** A server that asks by hand: the handler is a state machine, and what it keeps comes back with the answers. */
export const byHand = createServer({ name: 'by-hand', version: '1.0.0' });

byHand.tool(
  'book_seat',
  { description: 'Books a seat', input: z.object({ to: z.string() }) },
  ({ to }, { resumed }) => {
    if (resumed === undefined) {
      // The first round. urlQuestion, samplingQuestion and rootsQuestion make the other kinds of requests.
      const seat = formQuestion({ message: `Which seat to ${to}?`, schema: z.object({ seat: z.enum(['A1', 'B7']) }) });
      return inputRequired({ requests: { seat }, keep: { price: 25 } });
    }
    // The retry: each answer as it came, in the shape that its request asked for, and what was kept.
    const { seat } = resumed.answers;
    return seat?.['action'] === 'accept' ? { booked: seat['content'], kept: resumed.kept } : 'Nothing was booked.';
  },
);
