import {
  array,
  boolean,
  either,
  integer,
  jsonObject,
  number,
  object,
  oneOf,
  type Shape,
  type Shaped,
  string,
  unknown,
  variant,
} from '../shape.ts';
import { type AudioContent, contentBlock, type ImageContent, role, type TextContent } from './content.ts';

const toolUseContent = object(
  { type: oneOf('tool_use'), id: string, name: string, input: jsonObject },
  { _meta: jsonObject },
);
/** A call of a tool that the model asks for. Spec: schema#toolusecontent (2026-07-28). */
export type ToolUseContent = Shaped<typeof toolUseContent>;

const toolResultContent = object(
  { type: oneOf('tool_result'), toolUseId: string, content: array(contentBlock) },
  { structuredContent: unknown, isError: boolean, _meta: jsonObject },
);
/** What a tool answered, under the id of the call. Spec: schema#toolresultcontent (2026-07-28). */
export type ToolResultContent = Shaped<typeof toolResultContent>;

/** One block of a message to or from a model. Spec: schema#samplingmessagecontentblock (2026-07-28). */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

const samplingContent = variant(
  'type',
  { tool_use: toolUseContent, tool_result: toolResultContent },
  contentBlock,
) as Shape<SamplingContent>;

const messageContent = either(samplingContent, array(samplingContent));

/** One message to or from a model. Spec: schema#samplingmessage (2026-07-28). */
export const samplingMessage = object({ role, content: messageContent }, { _meta: jsonObject });
/** See {@link samplingMessage}. */
export type SamplingMessage = Shaped<typeof samplingMessage>;

/**
 * What a model is asked, and how; `maxTokens` bounds its answer. `tools` and `toolChoice` need a client that declares
 * `sampling.tools`, an `includeContext` other than `none` one that declares `sampling.context`.
 *
 * Spec: client/sampling#creating-messages (2026-07-28).
 */
export const createMessageParams = object(
  { messages: array(samplingMessage), maxTokens: integer },
  {
    modelPreferences: object(
      {},
      {
        hints: array(object({}, { name: string })),
        costPriority: number,
        speedPriority: number,
        intelligencePriority: number,
      },
    ),
    systemPrompt: string,
    includeContext: oneOf('none', 'thisServer', 'allServers'),
    temperature: number,
    stopSequences: array(string),
    metadata: jsonObject,
    tools: array(jsonObject),
    toolChoice: object({}, { mode: oneOf('auto', 'required', 'none') }),
  },
);
/** See {@link createMessageParams}. */
export type CreateMessageParams = Shaped<typeof createMessageParams>;

/** What a model answered; `stopReason` is an open set. Spec: schema#createmessageresult (2026-07-28). */
export const createMessageResult = object(
  { role, content: messageContent, model: string },
  { stopReason: string, _meta: jsonObject },
);
/** See {@link createMessageResult}. */
export type CreateMessageResult = Shaped<typeof createMessageResult>;
