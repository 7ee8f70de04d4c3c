import type { ExposedTool, Logger } from '@switchyard/host';
import { type ParamHeaders, planParamHeaders } from '@switchyard/protocol';

/** What HTTP makes of tools whose definitions say that arguments are repeated in headers. */
export interface ToolHeaders {
  /** The headers that a call of the tool must repeat; `undefined` for one whose annotations are invalid. */
  planOf(tool: ExposedTool): ParamHeaders | undefined;
  /** The tools that an HTTP client can call; the same array for the same list. */
  servable(tools: readonly ExposedTool[]): readonly ExposedTool[];
}

/** Names come from servers, which may have new ones in each list. */
const MAX_WARNINGS = 1000;

/**
 * Creates the header plans of a gateway, each made once for as long as the tool's definition is the same object. A tool
 * whose header annotations are invalid is left out of the list, with a warning once for the first 1,000, because every
 * HTTP client would have to do the same.
 *
 * Spec: basic/transports/streamable-http#schema-extension (2026-07-28).
 */
export function createToolHeaders(logger: Logger): ToolHeaders {
  const plans = new WeakMap<ExposedTool, { readonly plan: ParamHeaders | undefined }>();
  const sorted = new WeakMap<readonly ExposedTool[], readonly ExposedTool[]>();
  const warned = new Set<string>();

  function planOf(tool: ExposedTool): ParamHeaders | undefined {
    const known = plans.get(tool);
    if (known !== undefined) return known.plan;
    const made = planParamHeaders(tool.inputSchema);
    const plan = 'problem' in made ? undefined : made;
    plans.set(tool, { plan });
    if ('problem' in made) warnOf(tool, made.problem);
    return plan;
  }

  function warnOf({ name, server }: ExposedTool, reason: string): void {
    if (warned.has(name) || warned.size >= MAX_WARNINGS) return;
    logger.warn({ server, name, reason }, 'a tool is left out of the list over HTTP');
    warned.add(name);
  }

  return {
    planOf,
    servable(tools) {
      const known = sorted.get(tools);
      if (known !== undefined) return known;
      const servable = tools.filter((tool) => planOf(tool) !== undefined);
      sorted.set(tools, servable);
      return servable;
    },
  };
}
