import { array, boolean, either, jsonObject, number, object, oneOf, record, type Shaped, string } from '../shape.ts';

/** A form for the user: a flat object of primitive members. Spec: schema#elicitrequestformparams (2026-07-28). */
export const elicitFormParams = object(
  { message: string, requestedSchema: object({ type: oneOf('object'), properties: record(jsonObject) }) },
  { mode: oneOf('form') },
);
/** See {@link elicitFormParams}. */
export type ElicitFormParams = Shaped<typeof elicitFormParams>;

/** A page that the user opens out of the client's sight. Spec: schema#elicitrequesturlparams (2026-07-28). */
export const elicitUrlParams = object({ mode: oneOf('url'), message: string, url: string });
/** See {@link elicitUrlParams}. */
export type ElicitUrlParams = Shaped<typeof elicitUrlParams>;

/**
 * What the user did with a form or a page; `content` comes with an accepted form alone. Spec: schema#elicitresult
 * (2026-07-28).
 */
export const elicitResult = object(
  { action: oneOf('accept', 'decline', 'cancel') },
  { content: record(either(either(string, number), either(boolean, array(string)))), _meta: jsonObject },
);
/** See {@link elicitResult}. */
export type ElicitResult = Shaped<typeof elicitResult>;
