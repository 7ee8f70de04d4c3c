import type {
  DiscoverResult,
  ListMethodName,
  MethodName,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '@switchyard/protocol';
import type { Listed } from '../call/listed.ts';
import type { CallOptions } from '../call/call-options.ts';
import { listTools } from '../call/call-tool.ts';
import type { Call } from '../call/call.ts';
import type { WholeList } from '../trust/whole-list.ts';
import { listAll, type ListKind } from '../call/list-all.ts';
import { promptList, resourceList, resourceTemplateList } from '../call/list-kinds.ts';
import type { ListName } from '../subscriptions/change-feed.ts';
import type { KnownLists } from '../subscriptions/known-lists.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import type { Freshness } from '../call/freshness.ts';
import { type CachedCallerSetup, createCachedCaller } from './cached-caller.ts';

/** The methods of a client whose answers are kept. */
export interface CachedReads {
  discover(options?: CallOptions): Promise<DiscoverResult & Freshness>;
  listTools(options?: CallOptions): Promise<Listed & { readonly tools: readonly Tool[] }>;
  listResources(options?: CallOptions): Promise<Listed & { readonly resources: readonly Resource[] }>;
  listResourceTemplates(
    options?: CallOptions,
  ): Promise<Listed & { readonly resourceTemplates: readonly ResourceTemplate[] }>;
  listPrompts(options?: CallOptions): Promise<Listed & { readonly prompts: readonly Prompt[] }>;
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult & Freshness>;
}

/** What the reads of one client are made of. */
export interface CachedReadsSetup extends CachedCallerSetup {
  readonly checks: ResultChecks;
  /** Remembers what was listed last. */
  readonly known: KnownLists;
}

/** Creates the reads, the lists of them by method, and what ends them. */
export function createCachedReads(setup: CachedReadsSetup): {
  readonly reads: CachedReads;
  list(method: MethodName, options: CallOptions): Promise<Listed>;
  close(): void;
} {
  const { caller, changes, checks, known } = setup;
  const { context } = caller;
  const cached = createCachedCaller(setup);

  const reads: CachedReads = {
    discover: (options) =>
      cached.run({ method: 'server/discover', params: {}, ask: (call) => call.discover() }, options),

    listTools: (options) =>
      cached.run(
        {
          method: 'tools/list',
          params: {},
          async ask(call) {
            const { entries, ...listed } = await listTools(context, call, checks, () => changes.changesOf('tools'));
            return { tools: entries, ...listed };
          },
          // Calls are checked and sent by the list; of one that came another way nothing is known here yet.
          async onFound({ tools, ...listed }, session) {
            await checks.learnTools({ entries: tools, ...listed });
            session.toolHeaders?.learn(tools);
          },
          onAnswer: (list) => known.note('tools/list', list),
        },
        options,
      ),

    listResources: (options) =>
      listAs(resourceList, 'resources', ({ entries, ...listed }) => ({ resources: entries, ...listed }), options),

    listResourceTemplates: (options) =>
      listAs(
        resourceTemplateList,
        'resources',
        ({ entries, ...listed }) => ({ resourceTemplates: entries, ...listed }),
        options,
      ),

    listPrompts: (options) =>
      listAs(promptList, 'prompts', ({ entries, ...listed }) => ({ prompts: entries, ...listed }), options),

    readResource: (uri, options) =>
      cached.run(
        {
          method: 'resources/read',
          params: { uri },
          ask: async (call) => checks.resource(await call.request('resources/read', { uri })),
        },
        options,
      ),
  };
  const lists: { readonly [method: string]: (options: CallOptions) => Promise<Listed> } = {
    'tools/list': reads.listTools,
    'resources/list': reads.listResources,
    'resources/templates/list': reads.listResourceTemplates,
    'prompts/list': reads.listPrompts,
  };
  return {
    reads,
    list(method, options) {
      const read = lists[method];
      return read === undefined
        ? Promise.reject(context.fail('invalid-argument', `${method} is no list that a client reads.`))
        : read(options);
    },
    close: cached.close,
  };

  function listAs<T, M extends ListMethodName, R extends Listed>(
    kind: ListKind<T, M>,
    name: ListName,
    toResult: (whole: WholeList<T>) => R,
    options: CallOptions | undefined,
  ): Promise<R & Freshness> {
    return cached.run(
      {
        method: kind.method,
        params: {},
        ask: async (call: Call) => toResult(await listAll(context, call, kind, () => changes.changesOf(name))),
        onAnswer: (answer) => known.note(kind.method, answer),
      },
      options,
    );
  }
}
