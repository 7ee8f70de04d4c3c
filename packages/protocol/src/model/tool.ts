import { boolean, array, jsonObject, object, oneOf, type Shaped, string } from '../shape.ts';
import { receivedContentBlock } from './content.ts';
import { icon } from './implementation.ts';

/** Hints about a tool's behaviour. Untrusted unless the server is trusted. Spec: schema#toolannotations (2026-07-28). */
export const toolAnnotations = object(
  {},
  { title: string, readOnlyHint: boolean, destructiveHint: boolean, idempotentHint: boolean, openWorldHint: boolean },
);
export type ToolAnnotations = Shaped<typeof toolAnnotations>;

/** A tool as it is listed. Spec: schema#tool (2026-07-28). */
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
export type Tool = Shaped<typeof tool>;

/** The result of a tool call as it is received. `isError` absent means false. Spec: schema#calltoolresult (2026-07-28). */
export const callToolResult = object(
  { content: array(receivedContentBlock) },
  { structuredContent: (): undefined => undefined, isError: boolean, _meta: jsonObject },
);
