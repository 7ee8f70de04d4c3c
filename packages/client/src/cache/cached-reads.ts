import {
  errorCodes,
  type ListMethodName,
  type ListShape,
  type MethodName,
  methods,
  ProtocolError,
  type ReadResourceResult,
} from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import type { Listed } from '../call/listed.ts';
import type { CallOptions } from '../call/call-options.ts';
import { usableTools } from '../call/call-tool.ts';
import type { WholeList } from '../trust/whole-list.ts';
import { listAll, type ListKind } from '../call/list-all.ts';
import { promptList, resourceList, resourceTemplateList, toolList } from '../call/list-kinds.ts';
import { withUsableEntries } from '../icons/usable-icons.ts';
import type { Session } from '../session/session.ts';
import type { ListName } from '../subscriptions/change-feed.ts';
import type { KnownLists } from '../subscriptions/known-lists.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import type { Freshness } from '../call/freshness.ts';
import type { ClientReads } from './client-reads.ts';
import { type CachedCallerSetup, createCachedCaller } from './cached-caller.ts';
import { createPagedLists } from './paged-lists.ts';
import { isListOf, isResultOf } from './stored-forms.ts';

/** What the reads of one client are made of. */
export interface CachedReadsSetup extends CachedCallerSetup {
  readonly checks: ResultChecks;
  /** Remembers what was listed last. */
  readonly known: KnownLists;
}

/** Answers what this client can use of a list that it may share with others; the same entries where that is all. */
type Usable<T> = (received: WholeList<T>, session: Session) => WholeList<T> | Promise<WholeList<T>>;

/** Creates the reads, the lists of them by method, and what ends them. */
export function createCachedReads(setup: CachedReadsSetup): {
  readonly reads: ClientReads;
  list(method: MethodName, options: CallOptions): Promise<Listed>;
  close(): void;
} {
  const { caller, changes, cache, checks, known } = setup;
  const { context } = caller;
  const cached = createCachedCaller(setup);
  const lists = createPagedLists(changes, cache);
  /** How often the server had said that a list changed when its entries were asked for. */
  const changesBefore = new WeakMap<readonly unknown[], number>();

  const reads: ClientReads = {
    discover: (options) =>
      cached.run(
        {
          method: 'server/discover',
          params: {},
          ask: (call) => call.discover(),
          isValid: (value) => isResultOf('server/discover', value),
          finish: (answer) => answer,
        },
        options,
      ),
    // Calls are checked and sent by the last list, whoever asked for it.
    listTools: (options) =>
      listAs(toolList, 'tools', options, (list, session) =>
        usableTools(context, session, checks, list, changesBefore.get(list.entries)),
      ),
    listResources: (options) => listAs(resourceList, 'resources', options),
    listResourceTemplates: (options) => listAs(resourceTemplateList, 'resources', options),
    listPrompts: (options) => listAs(promptList, 'prompts', options),
    readResource: (uri, options) =>
      cached.run<ReadResourceResult>(
        {
          method: 'resources/read',
          params: { uri },
          ask: (call) => call.request('resources/read', { uri }),
          isValid: (value) => isResultOf('resources/read', value),
          finish: (answer) => checks.resource(uri, answer),
        },
        options,
      ),
  };
  const byMethod: { readonly [method: string]: (options: CallOptions) => Promise<Listed> } = {
    'tools/list': reads.listTools,
    'resources/list': reads.listResources,
    'resources/templates/list': reads.listResourceTemplates,
    'prompts/list': reads.listPrompts,
  };
  return {
    reads,
    list(method, options) {
      const read = byMethod[method];
      return read === undefined
        ? Promise.reject(context.fail('invalid-argument', `${method} is no list that a client reads.`))
        : read(options);
    },
    close: cached.close,
  };

  function listAs<T, M extends ListMethodName, R extends Listed>(
    kind: ListKind<T, M>,
    name: ListName,
    options: CallOptions | undefined,
    usable?: Usable<T>,
  ): Promise<R & Freshness> {
    const { member, key }: ListShape = methods[kind.method].list;
    const toUsable: Usable<T> = usable ?? ((list) => withUsableIconsBy(key, list));
    return cached.run<R>(
      {
        method: kind.method,
        params: {},
        ask: (call, before) =>
          lists.read(name, before, async (reading) => {
            const changesSaid = changes.saidChangesOf(name);
            const whole = await listAll(context, call, kind, reading).catch((error) =>
              emptyIfAbsent(error, call, kind.method, name),
            );
            changesBefore.set(whole.entries, changesSaid);
            return toListed(member, whole) as R;
          }),
        isValid: (value) => isListOf(kind, member, value),
        async finish(answer, session) {
          const { [member]: entries, ...listed } = answer as object as { readonly [name: string]: unknown };
          const received = { ...listed, entries } as WholeList<T>;
          const finished = await toUsable(received, session);
          const isWhole = finished.entries === entries && finished.leftOut.length === received.leftOut.length;
          return isWhole ? answer : (toListed(member, finished) as R);
        },
        teaches: usable !== undefined,
        onAnswer: (answer) => known.note(kind.method, answer),
      },
      options,
    );
  }

  function withUsableIconsBy<T>(key: string, list: WholeList<T>): WholeList<T> {
    const keyOf = (entry: T): string => String((entry as { readonly [name: string]: unknown })[key]);
    return { ...list, entries: withUsableEntries(context, list.entries, keyOf) };
  }
}

/**
 * A server that never said it has such things, and knows no list of them, has none: that is no failure. With resources
 * need not come templates of them.
 */
function emptyIfAbsent(error: unknown, { session }: Call, method: ListMethodName, name: ListName): WholeList<never> {
  const isUnknown = error instanceof ProtocolError && error.code === errorCodes.methodNotFound.code;
  const isPromised = method !== 'resources/templates/list' && session.facts.capabilities[name] !== undefined;
  if (!isUnknown || isPromised) throw error;
  return { entries: [], ttlMs: 0, cacheScope: 'private', leftOut: [] };
}

function toListed(member: string, { entries, ...listed }: WholeList<unknown>): Listed {
  return { [member]: entries, ...listed };
}
