import { array, jsonObject, object, type Shaped, string } from '../shape.ts';

/** A folder that the client works in; `uri` is a `file:` URI. Spec: client/roots#data-types (2026-07-28). */
export const root = object({ uri: string }, { name: string, _meta: jsonObject });
/** See {@link root}. */
export type Root = Shaped<typeof root>;

/** The client's roots. Spec: schema#listrootsresult (2026-07-28). */
export const listRootsResult = object({ roots: array(root) }, { _meta: jsonObject });
/** See {@link listRootsResult}. */
export type ListRootsResult = Shaped<typeof listRootsResult>;
