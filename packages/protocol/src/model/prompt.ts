import { array, boolean, jsonObject, object, type Shaped, string } from '../shape.ts';
import { type ContentBlock, receivedContentBlock, role, type Role } from './content.ts';
import { icon } from './implementation.ts';

/** An argument of a prompt; its value is always a string. */
export const promptArgument = object({ name: string }, { title: string, description: string, required: boolean });
export type PromptArgument = Shaped<typeof promptArgument>;

/** A prompt as it is listed. Spec: schema#prompt (2026-07-28). */
export const prompt = object(
  { name: string },
  { title: string, description: string, arguments: array(promptArgument), icons: array(icon), _meta: jsonObject },
);
export type Prompt = Shaped<typeof prompt>;

/** One message of a prompt: a role and ONE content block. Spec: server/prompts#promptmessage (2026-07-28). */
export const receivedPromptMessage = object({ role, content: receivedContentBlock });
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}
