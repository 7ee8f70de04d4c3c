import records from '../data/orders.json' with { type: 'json' };

/** An order as its owner sees it. `as_of` is when `source_version` of the data was taken. */
export interface Order {
  readonly order_id: string;
  readonly status: string;
  readonly as_of: string;
  readonly source_version: string;
}

/** Why an order is not shown. */
export interface Refusal {
  readonly code: 'forbidden' | 'not_found';
  readonly message: string;
}

/** The order, or the reason for refusing it. */
export type OrderAnswer = { readonly order: Order } | Refusal;

/**
 * Answers an order to its owner alone. `identity` is who asks, as the program's configuration says and not the request.
 */
export function readOrder(identity: string, orderId: string): OrderAnswer {
  const record = records.find((candidate) => candidate.order_id === orderId);
  if (record === undefined) return { code: 'not_found', message: 'There is no such order' };
  const { owner, ...order } = record;
  return owner === identity ? { order } : { code: 'forbidden', message: 'The order belongs to somebody else' };
}
