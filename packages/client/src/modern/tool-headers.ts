import {
  type JsonObject,
  mintParamHeaders,
  type ParamHeaderPlan,
  planParamHeaders,
  type Tool,
} from '@switchyard/protocol';
import type { LeftOut } from '../left-out.ts';
import type { HeaderFields } from '../connection.ts';
import { quoted } from '../excerpt.ts';
import type { PeerContext } from '../peer-context.ts';

/** What the last list of tools said about arguments that travel in headers. */
export interface ToolHeaders {
  /** Learns a whole list and answers the tools whose annotations are valid, and the others with what is wrong. */
  learn(tools: readonly Tool[]): { readonly tools: readonly Tool[]; readonly leftOut: readonly LeftOut[] };
  /**
   * Answers the headers for one call; none for a tool that was never listed. Throws a `ClientError` with code
   * `invalid-argument` for a tool that was left out and for arguments that no header can carry.
   */
  mint(name: string, args: JsonObject): HeaderFields;
}

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
