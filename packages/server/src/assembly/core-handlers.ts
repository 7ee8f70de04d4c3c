import { type JsonObject, type Logger, type ParamsOf, ProtocolError } from '@switchyard/protocol';

import { errorResult } from '../definition/tool-result.ts';
import { withInput } from '../input/invocation.ts';
import type { InvocationSite } from '../input/invocation-site.ts';
import type { RequestSubject } from '../input/request-binding.ts';
import { withDeadline } from '../dispatch/with-deadline.ts';
import { complete } from '../methods/completion.ts';
import { getPrompt } from '../methods/prompts.ts';
import { type Readable, readResource } from '../methods/resources.ts';
import { callTool, toFailure, type ToolFailed } from '../methods/tools.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Endpoint, MethodHandler } from '../dispatch/endpoint.ts';
import { safeReference } from '../dispatch/error-reply.ts';
import { allKinds, kinds } from '../catalog/kinds.ts';

/** What the handlers of an author's definitions are made of. */
export interface CoreSite {
  /** The definitions as they are now. */
  catalog(): Catalog;
  readonly invocations: InvocationSite;
  readonly createReference: () => string;
  /** It must not throw. */
  readonly logger: Logger;
}

/** The handlers of the methods that serve definitions. */
export interface CoreHandlers {
  readonly handlers: Endpoint['handlers'];
  /** Makes the handler of `resources/read` that looks in a part of the resources. */
  read(readable: () => Readable): MethodHandler;
}

/** Makes the handlers that list, call, read, render and complete what an author defined. */
export function createCoreHandlers({ catalog, invocations, createReference, logger }: CoreSite): CoreHandlers {
  const failed: ToolFailed = (tool, cause) => {
    const reference = safeReference(createReference);
    logger.error({ reference, method: 'tools/call', name: tool, err: cause }, 'tool failed');
    return errorResult(`The tool ${tool} failed (reference ${reference})`);
  };
  const lists = allKinds.map((kind): readonly [string, MethodHandler] => [
    kinds[kind].method,
    ({ cursor }) => catalog().pages[kind].page(cursor as string | undefined),
  ]);
  const read = (readable: () => Readable): MethodHandler =>
    withInput(invocations, {
      method: 'resources/read',
      // Whoever is asked for a resource, all that may serve its URI is what the request is bound to.
      snapshot: () => ({ catalog: catalog(), readable: readable() }),
      subjectOf: (params) => ({ name: (params as ParamsOf<'resources/read'>).uri, arguments: undefined }),
      serve: (defined, params, context) => readResource(defined.readable, params, context),
      definitionsOf: (defined, uri) => definitionsOfUri(defined.catalog, uri),
      failed: rethrow,
      giveUp: failRequest,
    });
  return {
    read,
    handlers: {
      ...Object.fromEntries(lists),
      'tools/call': withInput(invocations, {
        method: 'tools/call',
        snapshot: catalog,
        subjectOf: byName,
        serve: (defined, params, context) => callTool(defined, params, context, failed),
        definitionsOf: ({ tools }, name) => oneOrNone(tools.get(name)),
        failed: (name, thrown, context) => toFailure(name, thrown, context, failed),
        giveUp: (message) => errorResult(message),
      }),
      'resources/read': read(catalog),
      'prompts/get': withInput(invocations, {
        method: 'prompts/get',
        snapshot: catalog,
        subjectOf: byName,
        serve: getPrompt,
        definitionsOf: ({ prompts }, name) => oneOrNone(prompts.get(name)),
        failed: rethrow,
        giveUp: failRequest,
      }),
      'completion/complete': withDeadline('completion/complete', invocations, (params, context) =>
        complete(catalog(), params, context),
      ),
    },
  };
}

/** The resource with this URI and every template that may serve it. */
export function definitionsOfUri(
  catalog: Catalog,
  uri: string,
): readonly { readonly listed: object; readonly scopes: readonly string[] }[] {
  const templates = catalog.orderedTemplates.filter(({ template }) => template.match(uri) !== undefined);
  return [...oneOrNone(catalog.resources.get(uri)), ...templates];
}

function byName(params: JsonObject): RequestSubject {
  const { name, arguments: args } = params as ParamsOf<'tools/call' | 'prompts/get'>;
  return { name, arguments: args };
}

function oneOrNone<T>(definition: T | undefined): readonly T[] {
  return definition === undefined ? [] : [definition];
}

function rethrow(_name: string, thrown: unknown): never {
  throw thrown;
}

function failRequest(message: string): never {
  throw new ProtocolError('internalError', message);
}
