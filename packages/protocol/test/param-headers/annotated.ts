import { type ParamHeaders, planParamHeaders } from '../../src/param-headers/plan-param-headers.ts';

/** A property whose value is mirrored into a header. */
export const annotated = (type: unknown, header: unknown): object => ({ type, 'x-mcp-header': header });

/** An object schema with these properties. */
export const objectOf = (properties: object): object => ({ type: 'object', properties });

/** The plan of a schema that has no problem. */
export function planOf(inputSchema: unknown): ParamHeaders {
  const plan = planParamHeaders(inputSchema);
  if ('problem' in plan) throw new Error(plan.problem);
  return plan;
}
