import {
  type Annotations,
  type CallToolResult,
  type CompleteResult,
  type ContentBlock,
  describeMisfit,
  type GetPromptResult,
  implementation,
  isBase64,
  isJsonObject,
  type JsonObject,
  metaKeys,
  type MethodName,
  methods,
  type Misfit,
  type ReadResourceResult,
  type ResourceContents,
  type Result,
} from '@switchyard/protocol';

import { isMimeType } from './mime-type.ts';
import { isSendableText } from './sendable-text.ts';

/** The methods whose results come from an author's handler. */
interface HandlerResults {
  readonly 'tools/call': CallToolResult;
  readonly 'resources/read': ReadResourceResult;
  readonly 'prompts/get': GetPromptResult;
  readonly 'completion/complete': CompleteResult;
}

/**
 * Refuses a result that a handler put together itself and that breaks the protocol: a bug of the handler, which its
 * caller must not have to cope with. The shape of a received result comes first; the rules here are what a receiver
 * tolerates and a sender may not do: unknown kinds of content, what is no Base64, URI or MIME type, contents with two
 * bodies or none.
 *
 * Spec: server/tools#tool-result, server/resources#resource-contents, server/prompts#promptmessage (2026-07-28).
 *
 * @throws TypeError whose message names the path and the rule.
 */
export function assertResult<M extends keyof HandlerResults>(method: M, result: HandlerResults[M]): void {
  const misfit = methods[method].result(result) ?? resultMisfit(result) ?? rules[method](result);
  if (misfit !== undefined)
    throw new TypeError(`the handler returned no ${method} result: ${describeMisfit('result', misfit)}`);
}

/**
 * Answers where a result breaks the rules of {@link assertResult} for senders; nothing for a method whose results no
 * handler makes.
 */
export function senderMisfit(method: MethodName, result: JsonObject): Misfit | undefined {
  if (!Object.hasOwn(rules, method)) return resultMisfit(result);
  const rule = rules[method as keyof HandlerResults] as Rule<JsonObject>;
  return resultMisfit(result) ?? rule(result);
}

/** Answers where a value of the right shape breaks a rule for senders. */
type Rule<T> = (value: T) => Misfit | undefined;

const rules: { readonly [M in keyof HandlerResults]: Rule<HandlerResults[M]> } = {
  'tools/call': ({ content }) => inItems('.content', content, blockMisfit),
  'resources/read': ({ contents }) =>
    contents.length === 0
      ? { at: '.contents', must: 'hold something; return undefined for a resource that does not exist' }
      : inItems('.contents', contents, contentsMisfit),
  'prompts/get': ({ messages }) =>
    inItems('.messages', messages, ({ content }) => inside('.content', blockMisfit(content))),
  'completion/complete': () => undefined,
};

const blockRules: { readonly [T in ContentBlock['type']]: Rule<Extract<ContentBlock, { readonly type: T }>> } = {
  text: ({ text }) => textMisfit(text),
  image: mediaMisfit,
  audio: mediaMisfit,
  resource_link: linkMisfit,
  resource: ({ resource }) => inside('.resource', contentsMisfit(resource)),
};

function resultMisfit({ resultType, _meta }: Result): Misfit | undefined {
  if (resultType !== undefined && resultType !== 'complete') return { at: '.resultType', must: 'be "complete"' };
  if (_meta === undefined) return undefined;
  return isJsonObject(_meta) ? serverInfoMisfit(_meta) : { at: '._meta', must: 'be an object' };
}

/**
 * Who answers may say more of the server than is sent by itself, in the same shape. Spec: schema#resultmetaobject
 * (2026-07-28).
 */
function serverInfoMisfit(meta: JsonObject): Misfit | undefined {
  const info = meta[metaKeys.serverInfo];
  return info === undefined ? undefined : inside(`._meta["${metaKeys.serverInfo}"]`, implementation(info));
}

function blockMisfit(block: ContentBlock): Misfit | undefined {
  if (!Object.hasOwn(blockRules, block.type))
    return { at: '.type', must: `be one of ${Object.keys(blockRules).join(', ')}` };
  const rule = blockRules[block.type] as Rule<ContentBlock>;
  return rule(block) ?? annotationsMisfit(block.annotations);
}

function mediaMisfit({ data, mimeType }: { readonly data: string; readonly mimeType: string }): Misfit | undefined {
  if (!isBase64(data)) return { at: '.data', must: 'be Base64' };
  return mimeTypeMisfit(mimeType);
}

function linkMisfit({ uri, mimeType }: Pick<ResourceContents, 'uri' | 'mimeType'>): Misfit | undefined {
  return URL.canParse(uri) ? mimeTypeMisfit(mimeType) : { at: '.uri', must: 'be an absolute URI' };
}

function contentsMisfit(contents: ResourceContents): Misfit | undefined {
  const { text, blob } = contents as { readonly text?: unknown; readonly blob?: unknown };
  if (text !== undefined && blob !== undefined) return { at: '', must: 'have either text or blob, not both' };
  if (typeof blob === 'string' && !isBase64(blob)) return { at: '.blob', must: 'be Base64' };
  return (typeof text === 'string' ? textMisfit(text) : undefined) ?? linkMisfit(contents);
}

function textMisfit(text: string): Misfit | undefined {
  return isSendableText(text) ? undefined : { at: '.text', must: 'be no longer than what can be sent' };
}

function mimeTypeMisfit(mimeType: string | undefined): Misfit | undefined {
  return mimeType === undefined || isMimeType(mimeType)
    ? undefined
    : { at: '.mimeType', must: 'be a MIME type, for example image/png' };
}

function annotationsMisfit(annotations: Annotations | undefined): Misfit | undefined {
  const priority = annotations?.priority ?? 0;
  return priority >= 0 && priority <= 1 ? undefined : { at: '.annotations.priority', must: 'be a number from 0 to 1' };
}

function inItems<T>(at: string, items: readonly T[], rule: Rule<T>): Misfit | undefined {
  for (const [index, item] of items.entries()) {
    const misfit = rule(item);
    if (misfit !== undefined) return inside(`${at}[${index}]`, misfit);
  }
  return undefined;
}

function inside(at: string, misfit: Misfit | undefined): Misfit | undefined {
  return misfit === undefined ? undefined : { at: `${at}${misfit.at}`, must: misfit.must };
}
