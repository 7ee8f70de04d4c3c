import type { ToolHeaders } from '../session/tool-headers.ts';
import { mintParamHeaders, type ParamHeaderPlan, planParamHeaders } from '@switchyard/protocol';
import type { LeftOut } from '../peer/left-out.ts';
import { quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/**
 * Creates the memory of tools' header plans. Only the last list counts.
 *
 * Spec: basic/transports/streamable-http#custom-headers-from-tool-parameters (2026-07-28).
 */
export function createToolHeaders(context: PeerContext): ToolHeaders {
  let plans = new Map<string, ParamHeaderPlan>();

  return {
    learn(tools) {
      plans = new Map(tools.map((tool) => [tool.name, planParamHeaders(tool.inputSchema)]));
      const leftOut: LeftOut[] = [];
      const valid = tools.filter((tool) => {
        const plan = plans.get(tool.name);
        if (plan === undefined || !('problem' in plan)) return true;
        const shown = quoted(tool.name);
        leftOut.push({ name: shown.slice(1, -1), reason: plan.problem });
        context.warn('entry-left-out', `the tool ${shown} is left out: ${plan.problem}`);
        return false;
      });
      return { tools: valid, leftOut };
    },

    mint(name, args) {
      const plan = plans.get(name);
      if (plan === undefined) return {};
      if ('problem' in plan) {
        throw context.fail(
          'invalid-argument',
          `the tool ${quoted(name)} cannot be called: ${plan.problem} Only its author can mend that.`,
        );
      }
      try {
        return mintParamHeaders(plan, args);
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        throw context.fail('invalid-argument', `the tool ${quoted(name)} cannot be called: ${problem}`, {
          cause: error,
        });
      }
    },
  };
}
