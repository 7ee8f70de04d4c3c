import type { ExposedTool, Logger } from '@switchyard/host';
import { type ParamHeaders, planParamHeaders } from '@switchyard/protocol';

/** The tools that an HTTP client can call, and the headers that a call of each must repeat. */
export interface ServableTools {
  /** The same array for the same list. */
  readonly tools: readonly ExposedTool[];
  /** By exposed name. */
  readonly headers: ReadonlyMap<string, ParamHeaders>;
}

/**
 * Creates the function that sorts out a list of tools: one whose header annotations are invalid is left out, with a warning once, because
 * every HTTP client would have to do the same. The answer is made once for as long as the list is the same array.
 *
 * Spec: basic/transports/streamable-http#schema-extension (2026-07-28).
 */
export function createToolSorter(logger: Logger): (tools: readonly ExposedTool[]) => ServableTools {
  const sorted = new WeakMap<readonly ExposedTool[], ServableTools>();
  const warned = new Set<string>();
  return (tools) => {
    const known = sorted.get(tools);
    if (known !== undefined) return known;
    const headers = new Map<string, ParamHeaders>();
    const servable = tools.filter(({ name, server, inputSchema }) => {
      const plan = planParamHeaders(inputSchema);
      if (!('problem' in plan)) {
        headers.set(name, plan);
        return true;
      }
      if (!warned.has(name))
        logger.warn({ server, name, reason: plan.problem }, 'a tool is left out of the list over HTTP');
      warned.add(name);
      return false;
    });
    const answer = { tools: servable, headers };
    sorted.set(tools, answer);
    return answer;
  };
}
