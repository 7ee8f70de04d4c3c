import { clip, type CompleteResult, type JsonObject, type ParamsOf, ProtocolError } from '@switchyard/protocol';

import type { Catalog } from '../catalog.ts';
import { type Completer, toCompletion } from '../definition/completer.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * Suggests values for an argument of a prompt or a variable of a resource template; one without a completer gets none.
 *
 * Spec: server/utilities/completion (2026-07-28).
 */
export async function complete(catalog: Catalog, params: JsonObject, context: RequestContext): Promise<CompleteResult> {
  const { ref, argument, context: settled } = params as ParamsOf<'completion/complete'>;
  const completers =
    ref.type === 'ref/prompt'
      ? ofPrompt(catalog, ref.name, argument.name)
      : ofTemplate(catalog, ref.uri, argument.name);
  const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  if (completer === undefined) return { completion: { values: [] } };
  return { completion: toCompletion(await completer(argument.value, settled?.arguments ?? {}, context)) };
}

type Completers = { readonly [name: string]: Completer };

function ofPrompt(catalog: Catalog, name: string, argument: string): Completers {
  const prompt = catalog.prompts.get(name);
  if (prompt === undefined) throw new ProtocolError('invalidParams', `Unknown prompt: ${clip(name, 128)}`);
  if (!(prompt.listed.arguments ?? []).some((known) => known.name === argument)) {
    throw new ProtocolError('invalidParams', `The prompt ${name} has no argument ${JSON.stringify(clip(argument))}`);
  }
  return prompt.completers;
}

function ofTemplate(catalog: Catalog, uri: string, variable: string): Completers {
  const template = catalog.templates.get(uri);
  if (template === undefined) {
    if (catalog.resources.has(uri)) return {};
    throw new ProtocolError('invalidParams', 'Unknown resource template', { data: { uri } });
  }
  if (!template.template.variables.includes(variable)) {
    throw new ProtocolError('invalidParams', `The template has no variable ${JSON.stringify(clip(variable))}`);
  }
  return template.complete;
}
