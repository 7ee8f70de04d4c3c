import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '@switchyard/protocol';
import type { AuditLog } from '../audit/audit-log.ts';
import { shownName } from '../catalog/list-entry.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { redactArguments } from '../audit/redact-arguments.ts';
import { type Call, placeOf, type Stage, type Resolution, resolutionOf } from './call.ts';
import { checkRounded } from '../json/big-integers.ts';
import { freezeJson } from '../json/freeze-json.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { argumentsOf, askedOf, type Operation, shownSubject, traitsOf } from './operation.ts';
import { refused } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';

interface Problem {
  readonly problem: string;
}

/** Arguments that passed, and their canonical text, which is both measured and digested. */
interface Checked {
  readonly value: JsonObject;
  readonly canonical: string;
}

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
    const { value, canonical } = checked;
    call.frozen = freezeJson(askedOf(call.operation, resolution.name, value));
    call.evidence = evidenceOf(value, canonical, resolution, context.audit);
    return next(call);
  };
}

function unusableDefinition(resolution: Resolution): string | undefined {
  if (resolution.kind !== 'tool') return undefined;
  const checks = resolution.tool.checks();
  return 'problem' in checks ? checks.problem : undefined;
}

function refuse(call: Call, problem: string): ReturnType<typeof refused> {
  return refused({
    reason: 'invalid-arguments',
    message: `The arguments of ${shownSubject(call.operation)} are not valid. ${problem}`,
    ...placeOf(call),
  });
}

function checkArguments(operation: Operation, resolution: Resolution, context: PipelineContext): Checked | Problem {
  const copied = copyOf(argumentsOf(operation), context);
  if ('problem' in copied) return copied;
  const { value } = copied;
  const problem = traitsOf(operation).hasDeclaredArguments ? brokenRule(value, resolution) : undefined;
  if (problem !== undefined) return { problem };
  let canonical: string;
  try {
    canonical = canonicalJson(value);
  } catch {
    return { problem: 'They hold text that is not well-formed Unicode (a lone surrogate).' };
  }
  // Measured once more with the defaults, which are the server's and count against the limit as well.
  return isTooLarge(canonical, context) ? { problem: tooLarge(context) } : { value, canonical };
}

/** A copy that holds nothing but JSON, within the limits. */
function copyOf(value: JsonObject, context: PipelineContext): Pick<Checked, 'value'> | Problem {
  if (isDeeperThan(value, MAX_JSON_DEPTH)) return { problem: `They nest deeper than ${MAX_JSON_DEPTH} levels.` };
  let text: string | undefined;
  try {
    text = stringifyJson(value);
  } catch {
    return { problem: 'They are not JSON.' };
  }
  // What has a `toJSON` of its own may be written as nothing.
  if (text === undefined) return { problem: 'They are not JSON.' };
  if (isTooLarge(text, context)) return { problem: tooLarge(context) };
  const copy = parseJson(text, context);
  return isJsonObject(copy) ? { value: copy } : { problem: 'They must be an object.' };
}

function isTooLarge(text: string, { limits }: PipelineContext): boolean {
  return Buffer.byteLength(text) > limits.maxArgumentsBytes;
}

function tooLarge({ limits }: PipelineContext): string {
  return `They are larger than ${limits.maxArgumentsBytes} bytes of JSON.`;
}

/** Answers what is wrong with the arguments; fills defaults in. */
function brokenRule(args: JsonObject, resolution: Resolution): string | undefined {
  if (resolution.kind === 'tool') {
    const checks = resolution.tool.checks();
    return 'problem' in checks ? checks.problem : checkRounded(args, checks.input)?.message;
  }
  return resolution.kind === 'prompt' ? brokenPromptArgument(args, resolution) : undefined;
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
