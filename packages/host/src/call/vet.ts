import { findDisagreement, safePlace } from '@switchyard/client';
import { type CallToolResult, isJsonObject, type JsonObject, stringifyJson } from '@switchyard/protocol';
import { checkRounded } from '../json/big-integers.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { type Call, type Stage, type Resolution, resolutionOf } from './call.ts';
import { unanswered } from './failure.ts';
import type { Operation, OperationResults } from './operation.ts';
import type { Outcome } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { OWN_META_PREFIX } from './verdict.ts';

/**
 * Checks what comes back before anybody uses it: its size and depth, and of a tool's result that is no error, the
 * output schema and that its text and structured form agree. A result that breaks a rule is replaced by
 * `result-rejected`, which names the server and the rule and holds nothing of the content. Metadata under
 * `dev.switchyard/`, which only the host may set, is removed.
 *
 * Spec: server/tools#output-schema, server/tools#structured-content (2026-07-28).
 */
export function vet(context: PipelineContext): Stage {
  return async (call, next) => {
    const outcome = await next(call);
    if (outcome.kind !== 'completed') return outcome;
    const { result } = outcome;
    if (isDeeperThan(result, MAX_JSON_DEPTH)) return reject(call, `it nests deeper than ${MAX_JSON_DEPTH} levels`);
    const bytes = Buffer.byteLength(stringifyJson(result));
    call.resultBytes = bytes;
    const { maxResultBytes } = context.limits;
    if (bytes > maxResultBytes)
      return reject(call, `it has ${bytes} bytes of JSON, and the limit is ${maxResultBytes}`);
    const broken = 'content' in result ? brokenRule(result, resolutionOf(call), context) : undefined;
    return broken === undefined ? { kind: 'completed', result: withoutOwnMeta(result) } : reject(call, broken);
  };
}

function brokenRule(result: CallToolResult, resolution: Resolution, context: PipelineContext): string | undefined {
  if (resolution.kind !== 'tool' || result.isError === true) return undefined;
  const hasStructured = Object.hasOwn(result, 'structuredContent');
  const checks = resolution.tool.checks();
  if ('output' in checks && checks.output !== undefined) {
    if (!hasStructured) return 'its tool declares an output schema, and it has no structuredContent';
    const problem = checkRounded(result.structuredContent, checks.output);
    if (problem !== undefined)
      return `its structuredContent breaks the output schema at "${safePlace(problem.path)}" (${problem.rule})`;
  }
  if (!hasStructured) return undefined;
  const index = findDisagreement(result.content, result.structuredContent, context);
  return index === undefined ? undefined : `its text (content[${index}]) and its structuredContent do not agree`;
}

function reject(call: Call, rule: string): Outcome {
  const message = `A result of MCP server "${resolutionOf(call).upstream.name}" was rejected: ${rule}.`;
  return unanswered(call, { reason: 'result-rejected', message });
}

function withoutOwnMeta<R extends OperationResults[Operation['method']]>(result: R): R {
  const meta: JsonObject | undefined = isJsonObject(result._meta) ? result._meta : undefined;
  if (meta === undefined || !Object.keys(meta).some((key) => key.startsWith(OWN_META_PREFIX))) return result;
  return {
    ...result,
    _meta: Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OWN_META_PREFIX))),
  };
}
