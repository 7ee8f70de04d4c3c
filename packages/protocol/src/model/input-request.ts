import { jsonObject, object, oneOf, record, type Shaped, string } from '../shape.ts';

/** What a server may ask a client for in the middle of a request. Spec: basic/patterns/mrtr (2026-07-28). */
export const inputRequest = object(
  { method: oneOf('elicitation/create', 'sampling/createMessage', 'roots/list') },
  { params: jsonObject },
);
/** See {@link inputRequest}. */
export type InputRequest = Shaped<typeof inputRequest>;

/**
 * A result that asks for input. At least one of `inputRequests`, by names that the server chose, and `requestState`, which is
 * opaque to the client, has to be present; that is not checked here. Spec: schema#inputrequiredresult (2026-07-28).
 */
export const inputRequiredResult = object(
  { resultType: oneOf('input_required') },
  { inputRequests: record(inputRequest), requestState: string, _meta: jsonObject },
);
/** See {@link inputRequiredResult}. */
export type InputRequiredResult = Shaped<typeof inputRequiredResult>;
