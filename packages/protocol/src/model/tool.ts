import { array, boolean, jsonObject, object, oneOf, type Shaped, string } from '../shape.ts';
import { icon } from './implementation.ts';

/**
 * Hints about a tool's behaviour. Untrusted unless the server is trusted. Spec: schema#toolannotations (2026-07-28).
 */
export const toolAnnotations = object(
  {},
  { title: string, readOnlyHint: boolean, destructiveHint: boolean, idempotentHint: boolean, openWorldHint: boolean },
);
/** See {@link toolAnnotations}. */
export type ToolAnnotations = Shaped<typeof toolAnnotations>;

/**
 * A tool as it is listed. Of the two schemas only that they are objects is checked here, and that the first one
 * describes an object; see `measureSchema` for the rest. Spec: schema#tool (2026-07-28).
 */
export const tool = object(
  { name: string, inputSchema: object({ type: oneOf('object') }) },
  {
    title: string,
    description: string,
    outputSchema: jsonObject,
    annotations: toolAnnotations,
    icons: array(icon),
    _meta: jsonObject,
  },
);
/** See {@link tool}. */
export type Tool = Shaped<typeof tool>;
