import { type JsonObject, jsonObject, object, oneOf, record, type Shaped, string } from '../shape.ts';

/** What a server may ask a client for in the middle of a request. Spec: basic/patterns/mrtr (2026-07-28). */
export const inputRequest = object(
  { method: oneOf('elicitation/create', 'sampling/createMessage', 'roots/list') },
  { params: jsonObject },
);
export type InputRequest = Shaped<typeof inputRequest>;

/** A result that asks for input: at least one of its two members is present. Spec: schema#inputrequiredresult (2026-07-28). */
export const inputRequiredResult = object(
  { resultType: oneOf('input_required') },
  { inputRequests: record(inputRequest), requestState: string, _meta: jsonObject },
);
export interface InputRequiredResult {
  readonly resultType: 'input_required';
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  readonly requestState?: string;
  readonly _meta?: JsonObject;
}
