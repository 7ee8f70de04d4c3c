import { array, boolean, jsonObject, object, type Shaped, string } from '../shape.ts';
import { contentBlock, role } from './content.ts';
import { icon } from './implementation.ts';

/** An argument of a prompt; its value is always a string, and it may be left out unless `required`. */
export const promptArgument = object({ name: string }, { title: string, description: string, required: boolean });
/** See {@link promptArgument}. */
export type PromptArgument = Shaped<typeof promptArgument>;

/** A prompt as it is listed. Spec: schema#prompt (2026-07-28). */
export const prompt = object(
  { name: string },
  { title: string, description: string, arguments: array(promptArgument), icons: array(icon), _meta: jsonObject },
);
/** See {@link prompt}. */
export type Prompt = Shaped<typeof prompt>;

/** One message of a prompt: a role and ONE content block. Spec: server/prompts#promptmessage (2026-07-28). */
export const promptMessage = object({ role, content: contentBlock });
/** See {@link promptMessage}. */
export type PromptMessage = Shaped<typeof promptMessage>;
