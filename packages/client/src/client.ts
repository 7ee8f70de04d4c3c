import type {
  CallToolResult,
  CompleteResult,
  CreateTaskResult,
  DiscoverResult,
  GetPromptResult,
  Icon,
  Implementation,
  InputRequiredResult,
  JsonObject,
  ParamsOf,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ResultOf,
  Revision,
  ServerCapabilities,
  Skill,
  SubscriptionFilter,
  Tool,
} from '@switchyard/protocol';
import type { CallOptions } from './call/call-options.ts';
import type { Freshness } from './call/freshness.ts';
import { createCachedReads } from './cache/cached-reads.ts';
import type { ResponseCache } from './cache/response-cache.ts';
import type { Caller } from './call/caller.ts';
import { type AskingMethod, requestRound } from './call/request-round.ts';
import type { CheckedIcon } from './icons/check-icon.ts';
import { fetchIcon, type FetchIconOptions } from './icons/fetch-icon.ts';
import type { Listed } from './call/listed.ts';
import type { EraVerdict } from './negotiate/era-verdict.ts';
import type { SessionKeeper } from './negotiate/session-keeper.ts';
import type { Session } from './session/session.ts';
import type { ChangeFeed, ListName } from './subscriptions/change-feed.ts';
import { createKnownLists } from './subscriptions/known-lists.ts';
import { createSubscriber } from './subscriptions/subscriber.ts';
import type { SubscribeOptions, Subscription } from './subscriptions/subscription.ts';
import { createClientSkills, type LoadedSkill } from './skills/client-skills.ts';
import type { SkillsOptions } from './skills/skills-options.ts';
import { createClientTasks, type StartedCall, type TakingTasks } from './tasks/client-tasks.ts';
import type { TaskHandle } from './tasks/task-handle.ts';
import type { ResultChecks } from './trust/result-checks.ts';

/**
 * One server, reached. All methods may run concurrently; each rejects with a `ClientError` or the peer's
 * `ProtocolError`.
 */
export interface Client extends AsyncDisposable {
  /** The configured name of the server. */
  readonly name: string;
  readonly era: 'modern' | 'legacy';
  readonly revision: Revision;
  /** What was learned of how to reach the server: a JSON value to keep and to give back as `prior`. */
  readonly verdict: EraVerdict;
  /** What the server calls itself, where it says so: for display only. */
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** Text from outside. */
  readonly instructions: string | undefined;

  /** Asks a modern server what it offers; of a legacy one it answers what was learned at the start. */
  discover(options?: CallOptions): Promise<DiscoverResult & Freshness>;
  /** All tools, in the server's order. */
  listTools(options?: CallOptions): Promise<Listed & { readonly tools: readonly Tool[] }>;
  /**
   * Calls a tool. A failure of the tool itself is a result with `isError`, not a rejection. With the option `tasks` a
   * call that the server makes a task of is waited for as any other.
   */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  /**
   * Calls a tool of a server that may make a task of it, and answers as soon as it has one: `task`, the handle of it, or
   * `result`, where the server answered at once. Only with the option `tasks`; without it the call rejects with code
   * `invalid-argument`.
   */
  startTask(name: string, args?: JsonObject, options?: CallOptions): Promise<StartedCall>;
  /**
   * Answers the handle of a task whose id was kept, such as from before a restart; it asks nothing yet. Throws
   * `invalid-argument` without the option `tasks`. Its result is checked as one of the protocol, and not against the
   * output schema of the tool, which is not known.
   */
  task(taskId: string): TaskHandle;
  /** All skills that a server of the skills extension offers, as they are listed; none of their files is read. */
  listSkills(options?: CallOptions): Promise<Listed & { readonly skills: readonly Skill[] }>;
  /** The entry of one skill, by the URI of its `SKILL.md`. Rejects with `result-rejected` for one that cannot be loaded. */
  getSkill(uri: string, options?: CallOptions): Promise<Skill>;
  /**
   * Reads the `SKILL.md` of a listed skill, and no other file. Its size, digest and frontmatter have to be those of the
   * entry; any difference rejects with code `result-rejected`. Give the entry that was approved, not a newer one.
   */
  loadSkill(skill: Skill, options?: CallOptions): Promise<LoadedSkill>;
  /** Fetches an icon of this server and answers it when it may be shown; without credentials, and within bounds. */
  fetchIcon(icon: Icon, options?: FetchIconOptions): Promise<CheckedIcon>;
  listResources(options?: CallOptions): Promise<Listed & { readonly resources: readonly Resource[] }>;
  listResourceTemplates(
    options?: CallOptions,
  ): Promise<Listed & { readonly resourceTemplates: readonly ResourceTemplate[] }>;
  /** Reads a resource. `isResourceNotFound` says whether a rejection means that there is none. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult & Freshness>;
  listPrompts(options?: CallOptions): Promise<Listed & { readonly prompts: readonly Prompt[] }>;
  getPrompt(name: string, args?: { readonly [name: string]: string }, options?: CallOptions): Promise<GetPromptResult>;
  complete(params: ParamsOf<'completion/complete'>, options?: CallOptions): Promise<CompleteResult>;

  /**
   * Sends one request and answers what comes, for a caller that answers the server's questions himself: the complete
   * result, or the one whose `resultType` is `input_required`. The next round is the same params with `inputResponses`
   * under the names of `inputRequests`, and with `requestState` exactly where the last result had one. No handler is
   * asked; declare what is answered in `capabilities`. A task that the server makes of a tool call is waited for.
   */
  request<M extends AskingMethod>(
    method: M,
    params: ParamsOf<M>,
    options?: CallOptions,
  ): Promise<ResultOf<M> | InputRequiredResult>;
  /**
   * Tells the server that `input.roots` changed, where the revision has a way; a modern server asks each time. Roots
   * that can be watched do so by themselves.
   */
  rootsChanged(options?: CallOptions): Promise<void>;

  /**
   * Listens to changes of lists and resources. Resolves when the server has agreed, to all of it or to a part: see
   * {@link Subscription.missing}. Rejects where it does not answer at all, or refuses; from then on the subscription
   * comes back by itself until it is closed, by its own `close`, its signal, or the client's.
   *
   * A subscription is no consistent feed. Whoever needs the whole of a list subscribes first and lists then, and again
   * when told.
   */
  subscribe(filter: SubscriptionFilter, options?: SubscribeOptions): Promise<Subscription>;

  /**
   * Ends the session and everything behind it: a child process with its whole group, sockets, a legacy session. What is
   * under way rejects with code `closed`, and so does every later call. Resolves when all is gone; more calls do no
   * more.
   */
  close(): Promise<void>;
}

/** What a client keeps of the answers it got, and how it hears that they changed. */
export interface Watching {
  readonly changes: ChangeFeed;
  readonly cache: ResponseCache | undefined;
  /** As `Transport.identity`. */
  readonly identity: string | undefined;
  /** The lists that the client listens to by itself, where the server tells of them. */
  readonly lists: readonly ListName[];
  readonly onListChanged: ((list: ListName) => unknown) | undefined;
}

/**
 * Creates the client of a server that was reached. `first` is its session at the start; later ones come from the
 * keeper.
 */
export function createClient(
  caller: Caller,
  keeper: SessionKeeper,
  first: Session,
  checks: ResultChecks,
  taking: TakingTasks & { readonly skills: SkillsOptions },
  watching: Watching,
): Client {
  const { context } = caller;
  const { facts } = first;
  // A server that was updated meanwhile says other things than at the start.
  const latest = (): Session => keeper.latest() ?? first;
  const { changes, cache, identity, lists, onListChanged } = watching;
  const known = createKnownLists();
  const {
    reads,
    list,
    close: closeReads,
  } = createCachedReads({ caller, keeper, changes, cache, identity, checks, known });
  // Outside of a list call tools are learned only where the server says that a call does not fit those of before.
  const relearning: ResultChecks = {
    ...checks,
    learnTools(list) {
      changes.announce({ list: 'tools' });
      return checks.learnTools(list);
    },
  };
  const tasks = createClientTasks({ ...taking, caller, checks: relearning, revision: () => latest().facts.revision });
  const skills = createClientSkills(caller, checks, taking.skills);
  const subscriber = createSubscriber({
    context,
    keeper,
    changes,
    known,
    reads: { list, readResource: reads.readResource },
    timeoutMs: caller.limits.timeoutMs,
  });
  subscriber.listenToLists(
    lists.filter((list) => facts.capabilities[list]?.listChanged === true),
    onListChanged,
  );

  return {
    name: context.server,
    get era() {
      return latest().era;
    },
    get revision() {
      return latest().facts.revision;
    },
    get verdict() {
      return keeper.verdict() ?? { era: first.era, revision: facts.revision };
    },
    get serverInfo() {
      return latest().facts.info;
    },
    get capabilities() {
      return latest().facts.capabilities;
    },
    get instructions() {
      return latest().facts.instructions;
    },

    ...reads,

    callTool: (name, args = {}, options) => tasks.call(name, args, options),

    startTask: (name, args = {}, options) => tasks.start(name, args, options),

    task: (taskId) => tasks.handle(taskId),

    listSkills: (options) => skills.list(options),

    getSkill: (uri, options) => skills.get(uri, options),

    loadSkill: (skill, options) => skills.load(skill, options),

    fetchIcon: (icon, options) => fetchIcon(context, icon, options),

    getPrompt: (name, args, options) =>
      caller.run('prompts/get', options, async (call) =>
        checks.prompt(await call.request('prompts/get', args === undefined ? { name } : { name, arguments: args })),
      ),

    complete: (params, options) =>
      caller.run('completion/complete', options, (call) => call.request('completion/complete', { ...params })),

    async request(method, params, options) {
      const takesTasks = taking.rules !== undefined;
      const round = { method, params, checks: relearning, takesTasks };
      const answer = await caller.run(method, options, (call) => requestRound(context, call, round));
      if (answer.resultType !== 'task') return answer as never;
      const { name, arguments: args = {} } = params as ParamsOf<'tools/call'>;
      return (await tasks.settle(answer as CreateTaskResult, { name, args }, options)) as never;
    },

    rootsChanged: (options) => caller.run('rootsChanged', options, async (call) => call.rootsChanged()),

    subscribe: (filter, options) =>
      subscriber.subscribe(filter, {
        ...options,
        onNotification(notification) {
          taking.news.take(notification);
          return options?.onNotification?.(notification);
        },
      }),

    close,
    [Symbol.asyncDispose]: close,
  };

  async function close(): Promise<void> {
    tasks.close();
    closeReads();
    await Promise.all([subscriber.close(), keeper.close()]);
  }
}
