import { either, jsonObject, object, oneOf, record, type Shape, type Shaped, string } from '../shape.ts';
import type { ClientCapability } from './capabilities.ts';
import { elicitFormParams, elicitResult, elicitUrlParams } from './elicitation.ts';
import { listRootsResult } from './root.ts';
import { createMessageParams, createMessageResult } from './sampling.ts';

/** What the protocol says about one kind of input. */
export interface InputKind {
  readonly params: Shape<unknown>;
  /** The shape of the client's answer. */
  readonly result: Shape<unknown>;
  /** The capability that a client declares when it can answer. */
  readonly capability: ClientCapability;
}

/**
 * What a server may ask a client for in the middle of a request, by method, each declared once. Legacy revisions have
 * the same methods as requests of the server.
 *
 * Spec: basic/patterns/mrtr#input-requests (2026-07-28).
 */
export const inputKinds = {
  'elicitation/create': {
    params: either(elicitFormParams, elicitUrlParams),
    result: elicitResult,
    capability: 'elicitation',
  },
  'sampling/createMessage': { params: createMessageParams, result: createMessageResult, capability: 'sampling' },
  'roots/list': { params: jsonObject, result: listRootsResult, capability: 'roots' },
} as const satisfies { readonly [method: string]: InputKind };

/** The name of a kind of input. */
export type InputMethod = keyof typeof inputKinds;

/** One request for input, without id. Spec: schema#inputrequest (2026-07-28). */
export const inputRequest = object(
  { method: oneOf(...(Object.keys(inputKinds) as [InputMethod, ...InputMethod[]])) },
  { params: jsonObject },
);
/** See {@link inputRequest}. */
export type InputRequest = Shaped<typeof inputRequest>;

/**
 * A result that asks for input. At least one of `inputRequests`, by names that the server chose, and `requestState`,
 * which is opaque to the client, has to be present; that is not checked here. Spec: schema#inputrequiredresult
 * (2026-07-28).
 */
export const inputRequiredResult = object(
  { resultType: oneOf('input_required') },
  { inputRequests: record(inputRequest), requestState: string, _meta: jsonObject },
);
/** See {@link inputRequiredResult}. */
export type InputRequiredResult = Shaped<typeof inputRequiredResult>;
