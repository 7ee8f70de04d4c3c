import { clip, type GetPromptResult, type JsonObject, type ParamsOf, ProtocolError } from '@switchyard/protocol';

import type { Catalog } from '../catalog.ts';
import { promptArgumentProblem, toGetPromptResult } from '../definition/prompt.ts';
import type { RequestContext } from '../request-context.ts';

/** Renders a prompt: an unknown name and a missing or unknown argument are -32602. Spec: server/prompts (2026-07-28). */
export async function getPrompt(
  catalog: Catalog,
  params: JsonObject,
  context: RequestContext,
): Promise<GetPromptResult> {
  const { name, arguments: args = {} } = params as ParamsOf<'prompts/get'>;
  const prompt = catalog.prompts.get(name);
  if (prompt === undefined) throw new ProtocolError('invalidParams', `Unknown prompt: ${clip(name, 128)}`);
  const problem = promptArgumentProblem(prompt.listed, args);
  if (problem !== undefined) throw new ProtocolError('invalidParams', problem);
  return toGetPromptResult(prompt.listed, await prompt.handler(args, context));
}
