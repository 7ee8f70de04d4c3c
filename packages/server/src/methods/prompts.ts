import { clip, type GetPromptResult, type JsonObject, type ParamsOf, ProtocolError } from '@switchyard/protocol';

import { assertScopes } from '../authorization/assert-scopes.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { toGetPromptResult } from '../definition/prompt.ts';
import { promptArgumentProblem } from '../definition/prompt-arguments.ts';
import { InputRequired } from '../handler/input-required.ts';
import type { RequestContext } from '../handler/request-context.ts';

/**
 * Renders a prompt: an unknown name, and an argument that is missing, unknown, too long or full of control characters,
 * are -32602.
 *
 * Spec: server/prompts (2026-07-28).
 */
export async function getPrompt(
  catalog: Catalog,
  params: JsonObject,
  context: RequestContext,
): Promise<GetPromptResult | InputRequired> {
  const { name, arguments: args = {} } = params as ParamsOf<'prompts/get'>;
  const prompt = catalog.prompts.get(name);
  if (prompt === undefined) throw new ProtocolError('invalidParams', `Unknown prompt: ${clip(name, 128)}`);
  assertScopes(context.principal, prompt.scopes);
  const problem = promptArgumentProblem(prompt.listed, prompt.limits, args);
  if (problem !== undefined) throw new ProtocolError('invalidParams', problem);
  const returned = await prompt.handler(args, context);
  return returned instanceof InputRequired ? returned : toGetPromptResult(prompt.listed, returned);
}
