import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '@switchyard/protocol';
import type { AuditLog } from '../audit/audit-log.ts';
import { shownName } from '../catalog/list-entry.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { redactArguments } from '../audit/redact-arguments.ts';
import { type Call, placeOf, type Stage, type Resolution, resolutionOf } from './call.ts';
import { checkRounded } from '../json/big-integers.ts';
import { freezeJson } from '../json/freeze-json.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { argumentsOf, askedOf, type Operation } from './operation.ts';
import { refused } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';

type Arguments = { readonly value: JsonObject } | { readonly problem: string };

/**
 * Checks the arguments against the definition and its limits, fills defaults into a copy, and freezes the copy: what is
 * recorded, decided on and sent is exactly this value. Refuses with `invalid-arguments`, naming the path and the rule,
 * and with `definition-rejected` where a schema of the tool cannot be compiled, so that nothing runs whose result could
 * not be checked.
 *
 * Spec: server/tools#error-handling (2026-07-28); values are the caller's to mend, so they end in a tool error.
 */
export function validate(context: PipelineContext): Stage {
  return (call, next) => {
    const resolution = resolutionOf(call);
    const unusable = unusableDefinition(resolution);
    if (unusable !== undefined) {
      const message = `MCP server "${resolution.upstream.name}" defines this tool in a way that cannot be used. ${unusable}`;
      return Promise.resolve(refused({ reason: 'definition-rejected', message, ...placeOf(call) }));
    }
    const checked = checkArguments(call.operation, resolution, context);
    if ('problem' in checked) return Promise.resolve(refuse(call, checked.problem));
    let canonical: string;
    try {
      canonical = canonicalJson(checked.value);
    } catch {
      return Promise.resolve(refuse(call, 'They hold text that is not well-formed Unicode (a lone surrogate).'));
    }
    call.frozen = freezeJson(askedOf(call.operation, resolution.name, checked.value));
    call.evidence = evidenceOf(checked.value, canonical, resolution, context.audit);
    return next(call);
  };
}

function unusableDefinition(resolution: Resolution): string | undefined {
  if (resolution.kind !== 'tool') return undefined;
  const checks = resolution.tool.checks();
  return 'problem' in checks ? checks.problem : undefined;
}

function refuse(call: Call, problem: string): ReturnType<typeof refused> {
  const { operation } = call;
  const what = operation.method === 'tools/call' ? operation.params.name : operation.method;
  return refused({
    reason: 'invalid-arguments',
    message: `The arguments of ${what} are not valid. ${problem}`,
    ...placeOf(call),
  });
}

function checkArguments(operation: Operation, resolution: Resolution, context: PipelineContext): Arguments {
  const copied = copyOf(argumentsOf(operation), context);
  if ('problem' in copied) return copied;
  const problem = brokenRule(copied.value, resolution);
  if (problem !== undefined) return { problem };
  // Defaults are the server's, so they count against the limit as well.
  const isLarge = resolution.kind === 'tool' && bytesOf(copied.value) > context.limits.maxArgumentsBytes;
  return isLarge ? { problem: tooLarge(context) } : { value: freezeJson(copied.value) };
}

/** A copy that holds nothing but JSON, within the limits. */
function copyOf(value: JsonObject, { limits, exactIntegers }: PipelineContext): Arguments {
  if (isDeeperThan(value, MAX_JSON_DEPTH)) return { problem: `They nest deeper than ${MAX_JSON_DEPTH} levels.` };
  let text: string | undefined;
  try {
    text = stringifyJson(value);
  } catch {
    return { problem: 'They are not JSON.' };
  }
  // What has a `toJSON` of its own may be written as nothing.
  if (text === undefined) return { problem: 'They are not JSON.' };
  if (Buffer.byteLength(text) > limits.maxArgumentsBytes) return { problem: tooLarge({ limits }) };
  const copy = parseJson(text, { exactIntegers });
  return isJsonObject(copy) ? { value: copy } : { problem: 'They must be an object.' };
}

function tooLarge({ limits }: Pick<PipelineContext, 'limits'>): string {
  return `They are larger than ${limits.maxArgumentsBytes} bytes of JSON.`;
}

function bytesOf(value: JsonObject): number {
  return Buffer.byteLength(stringifyJson(value));
}

/** Answers what is wrong with the arguments; fills defaults in. */
function brokenRule(args: JsonObject, resolution: Resolution): string | undefined {
  if (resolution.kind === 'tool') {
    const checks = resolution.tool.checks();
    return 'problem' in checks ? checks.problem : checkRounded(args, checks.input)?.message;
  }
  return resolution.kind === 'prompt' && !('argument' in args) ? brokenPromptArgument(args, resolution) : undefined;
}

function brokenPromptArgument(
  args: JsonObject,
  { prompt }: Resolution & { readonly kind: 'prompt' },
): string | undefined {
  const wrong = Object.keys(args).find((name) => typeof args[name] !== 'string');
  if (wrong !== undefined) return `The value at "/${shownName(wrong)}" must be a string.`;
  const missing = prompt.definition.arguments?.find(
    ({ name, required }) => required === true && !Object.hasOwn(args, name),
  );
  return missing === undefined ? undefined : `The value at "/${shownName(missing.name)}" is required.`;
}

function evidenceOf(
  args: JsonObject,
  canonical: string,
  resolution: Resolution,
  audit: AuditLog,
): NonNullable<Call['evidence']> {
  if (resolution.kind === 'resource' && Object.keys(args).length === 0) return {};
  const declared =
    resolution.kind === 'tool'
      ? resolution.tool.declared
      : resolution.kind === 'prompt'
        ? resolution.prompt.declared
        : new Set<string>();
  return { argumentsDigest: audit.digest(canonical), arguments: redactArguments(args, declared) };
}
