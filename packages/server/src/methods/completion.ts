import { clip, type CompleteResult, type JsonObject, type ParamsOf, ProtocolError } from '@switchyard/protocol';

import { assertScopes } from '../authorization/assert-scopes.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { type Completer, toCompletion } from '../definition/completer.ts';
import type { RequestContext } from '../handler/request-context.ts';

/** The longest text that is completed, and the most that the texts beside it hold together, in UTF-16 units. */
const MAX_VALUE_CHARS = 4_096;
const MAX_SETTLED_CHARS = 65_536;

/**
 * Suggests values for an argument of a prompt or a variable of a resource template; one without a completer gets none.
 * A text of more than 4,096 characters, and settled arguments of more than 65,536 together, are -32602.
 *
 * Spec: server/utilities/completion (2026-07-28).
 */
export async function complete(catalog: Catalog, params: JsonObject, context: RequestContext): Promise<CompleteResult> {
  const { ref, argument, context: settled } = params as ParamsOf<'completion/complete'>;
  const completers =
    ref.type === 'ref/prompt'
      ? ofPrompt(catalog, ref.name, argument.name, context)
      : ofTemplate(catalog, ref.uri, argument.name, context);
  const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  if (completer === undefined) return { completion: { values: [] } };
  assertLengths(argument.value, settled?.arguments ?? {});
  return { completion: toCompletion(await completer(argument.value, settled?.arguments ?? {}, context)) };
}

function assertLengths(value: string, settled: { readonly [name: string]: string }): void {
  if (value.length > MAX_VALUE_CHARS)
    throw new ProtocolError(
      'invalidParams',
      `The value to complete has ${value.length} characters; at most ${MAX_VALUE_CHARS} are read`,
    );
  let chars = 0;
  for (const [name, text] of Object.entries(settled)) chars += name.length + text.length;
  if (chars > MAX_SETTLED_CHARS)
    throw new ProtocolError(
      'invalidParams',
      `The settled arguments have ${chars} characters together; at most ${MAX_SETTLED_CHARS} are read`,
    );
}

type Completers = { readonly [name: string]: Completer };

function ofPrompt(catalog: Catalog, name: string, argument: string, { principal }: RequestContext): Completers {
  const prompt = catalog.prompts.get(name);
  if (prompt === undefined) throw new ProtocolError('invalidParams', `Unknown prompt: ${clip(name, 128)}`);
  assertScopes(principal, prompt.scopes);
  if (!(prompt.listed.arguments ?? []).some((known) => known.name === argument)) {
    throw new ProtocolError('invalidParams', `The prompt ${name} has no argument ${JSON.stringify(clip(argument))}`);
  }
  return prompt.completers;
}

function ofTemplate(catalog: Catalog, uri: string, variable: string, { principal }: RequestContext): Completers {
  const template = catalog.templates.get(uri);
  if (template === undefined) {
    if (catalog.resources.has(uri)) return {};
    throw new ProtocolError('invalidParams', 'Unknown resource template', { data: { uri } });
  }
  assertScopes(principal, template.scopes);
  if (!template.template.variables.includes(variable)) {
    throw new ProtocolError('invalidParams', `The template has no variable ${JSON.stringify(clip(variable))}`);
  }
  return template.complete;
}
