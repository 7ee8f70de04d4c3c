import { describe, expect, expectTypeOf, it } from 'vitest';

import {
  type CacheHints,
  type CallToolResult,
  type CompleteResult,
  type ContentBlock,
  type DiscoverResult,
  type GetPromptResult,
  type InitializeResult,
  type InputRequest,
  type InputRequiredResult,
  inputRequiredResult,
  type ListToolsResult,
  methods,
  type PromptMessage,
  type ReadResourceResult,
  type Result,
  type ServerCapabilities,
  type Tool,
} from '../../src/index.ts';

type Json = { readonly [key: string]: unknown };

describe('the shapes of results', () => {
  it.each<[keyof typeof methods, object]>([
    ['server/discover', { supportedVersions: [], capabilities: {} }],
    ['tools/list', { tools: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
    ['prompts/list', { prompts: [] }],
    ['resources/read', { contents: [] }],
  ])('[CACHE-11] take %s without cache hints, with them, and with members of a newer peer', (method, result) => {
    const { result: shape } = methods[method];
    expect(shape(result)).toBeUndefined();
    expect(shape({ ...result, resultType: 'complete', ttlMs: 5, cacheScope: 'public', newer: [] })).toBeUndefined();
    expect(shape({ ...result, cacheScope: 'everybody' })?.at).toBe('.cacheScope');
    for (const required of Object.keys(result)) expect(shape({ ...result, [required]: null })?.at).toBe(`.${required}`);
  });

  it.each([
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const)(
    'leave the entries of %s to their reader, so that one bad entry does not hide the others',
    (method, member) => {
      const { result: shape } = methods[method];
      expect(shape({ [member]: [null, 7, {}], nextCursor: '' })).toBeUndefined();
      expect(shape({ [member]: [], nextCursor: 7 })?.at).toBe('.nextCursor');
    },
  );

  it('take a block of a type that this revision does not know, and check those that it knows', () => {
    const { result: shape } = methods['tools/call'];
    expect(shape({ content: [{ type: 'hologram', data: 7 }] })).toBeUndefined();
    expect(shape({ content: [{ type: 'text' }] })?.at).toBe('.content[0].text');
    expect(shape({ content: [{ type: 7 }] })?.at).toBe('.content[0].type');
    expect(methods['prompts/get'].result({ messages: [{ role: 'user', content: [] }] })?.at).toBe(
      '.messages[0].content',
    );
  });

  it('[MRTR-05] read a result that asks for input of the three kinds that there are', () => {
    const inputRequests = { 'a b': { method: 'elicitation/create', params: { message: 'Which?' } } };
    expect(inputRequiredResult({ resultType: 'input_required', inputRequests })).toBeUndefined();
    expect(inputRequiredResult({ resultType: 'input_required', requestState: 7 })?.at).toBe('.requestState');
    expect(inputRequiredResult({ resultType: 'complete' })?.at).toBe('.resultType');
    const other = { resultType: 'input_required', inputRequests: { other: { method: 'tools/call' } } };
    expect(inputRequiredResult(other)?.at).toBe('.inputRequests["other"].method');
  });

  it('carry the types of what a server of this revision sends', () => {
    interface Everywhere {
      readonly resultType?: string;
      readonly _meta?: Json;
    }
    interface Hints {
      readonly ttlMs: number;
      readonly cacheScope: 'public' | 'private';
    }
    expectTypeOf<Result>().branded.toEqualTypeOf<Everywhere>();
    expectTypeOf<CacheHints>().branded.toEqualTypeOf<Hints>();
    expectTypeOf<DiscoverResult>().branded.toEqualTypeOf<
      Everywhere &
        Hints & {
          readonly supportedVersions: readonly string[];
          readonly capabilities: ServerCapabilities;
          readonly instructions?: string;
        }
    >();
    expectTypeOf<ListToolsResult>().branded.toEqualTypeOf<
      Everywhere & Hints & { readonly tools: readonly Tool[]; readonly nextCursor?: string }
    >();
    expectTypeOf<CallToolResult>().branded.toEqualTypeOf<
      Everywhere & {
        readonly content: readonly ContentBlock[];
        readonly structuredContent?: unknown;
        readonly isError?: boolean;
      }
    >();
    expectTypeOf<ReadResourceResult['contents'][number]['uri']>().toEqualTypeOf<string>();
    expectTypeOf<PromptMessage['content']>().toEqualTypeOf<ContentBlock>();
    expectTypeOf<GetPromptResult['messages']>().toEqualTypeOf<readonly PromptMessage[]>();
    expectTypeOf<CompleteResult['completion']['hasMore']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<InitializeResult['serverInfo']['version']>().toEqualTypeOf<string>();
    expectTypeOf<InputRequiredResult['inputRequests']>().toEqualTypeOf<
      { readonly [key: string]: InputRequest } | undefined
    >();
    expectTypeOf<Extract<ContentBlock, { type: 'text' }>['text']>().toEqualTypeOf<string>();
  });
});
