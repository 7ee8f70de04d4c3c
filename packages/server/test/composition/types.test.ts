import type {
  CallToolResult,
  CreateTaskResult,
  DiscoverResult,
  GetPromptResult,
  InputRequiredResult,
  ListToolsResult,
  Result,
  Tool,
} from '@switchyard/protocol';
import {
  createServer,
  errorResult,
  type InterceptedRequest,
  type InterceptedResult,
  type Interceptor,
} from '@switchyard/server';
import { expectTypeOf, it } from 'vitest';

// The type checker is the judge of this file: `npm run check` fails where a type is inferred differently.
const server = createServer({ name: 'types', version: '1.0.0' });

it('narrows a request, and what next answers, by the method', () => {
  server.use(async (request, next) => {
    if (request.method === 'tools/call') {
      expectTypeOf(request.params.name).toEqualTypeOf<string>();
      const result = await next(request);
      if (result.resultType === 'input_required') {
        expectTypeOf(result).toEqualTypeOf<InputRequiredResult>();
        return result;
      }
      if (result.resultType === 'task') {
        expectTypeOf(result).toEqualTypeOf<CreateTaskResult>();
        return result;
      }
      expectTypeOf(result).toEqualTypeOf<CallToolResult & { readonly resultType?: 'complete' }>();
      if (result.isError === true) return errorResult('It failed');
      return { ...result, isError: true };
    }
    if (request.method === 'tools/list') {
      expectTypeOf(request.params.cursor).toEqualTypeOf<string | undefined>();
      const page = await next({ ...request, params: {} });
      expectTypeOf(page).toExtend<ListToolsResult>();
      return { ...page, tools: page.tools.filter((tool: Tool) => tool.name !== 'x') };
    }
    if (request.method === 'server/discover') {
      expectTypeOf(await next(request)).toExtend<DiscoverResult>();
    }
    if (request.method === 'subscriptions/listen') {
      expectTypeOf(request.params.notifications.toolsListChanged).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(await next(request)).toExtend<Result>();
    }
    expectTypeOf(await next()).toEqualTypeOf<InterceptedResult>();
    return next(request);
  });
});

it('names requests and results by method', () => {
  expectTypeOf<InterceptedRequest<'resources/read'>['params']['uri']>().toEqualTypeOf<string>();
  expectTypeOf<InterceptedResult<'prompts/get'>>().toExtend<GetPromptResult | InputRequiredResult>();
  expectTypeOf<Extract<InterceptedResult<'prompts/list'>, InputRequiredResult>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<InterceptedRequest['method'], 'initialize' | 'ping'>>().toEqualTypeOf<never>();
});

it('refuses what an interceptor may not do', () => {
  // @ts-expect-error no result
  expectTypeOf<() => undefined>().toExtend<Interceptor>();
  // @ts-expect-error a result of no method
  expectTypeOf<() => { readonly tols: [] }>().toExtend<Interceptor>();
  const misused: Interceptor = (request, next) => {
    // @ts-expect-error the params of another method
    void next({ method: 'tools/call', params: { uri: 'x' }, context: request.context });
    // @ts-expect-error an interceptor cannot ask for input
    void request.context.elicit;
    return next();
  };
  expectTypeOf(misused).toBeFunction();
});

it('chains', () => {
  expectTypeOf(
    server.use((_request, next) => next()).mount('x', createServer({ name: 'x', version: '1' })),
  ).toEqualTypeOf(server);
});
