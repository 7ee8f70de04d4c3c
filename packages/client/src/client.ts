import type {
  AskingMethod,
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  Icon,
  Implementation,
  InputRequiredResult,
  JsonObject,
  ParamsOf,
  ResultOf,
  Revision,
  ServerCapabilities,
  Skill,
  SubscriptionFilter,
} from '@switchyard/protocol';
import type { ClientReads } from './cache/client-reads.ts';
import type { CallOptions } from './call/call-options.ts';
import type { Caller } from './call/caller.ts';
import type { Listed } from './call/listed.ts';
import type { CheckedIcon } from './icons/check-icon.ts';
import { fetchIcon, type FetchIconOptions } from './icons/fetch-icon.ts';
import type { EraVerdict } from './negotiate/era-verdict.ts';
import type { Session } from './session/session.ts';
import type { ClientSkills, LoadedSkill } from './skills/client-skills.ts';
import type { Subscriber } from './subscriptions/subscriber.ts';
import type { SubscribeOptions, Subscription } from './subscriptions/subscription.ts';
import type { ClientTasks, StartedCall } from './tasks/client-tasks.ts';
import { requestOrSettle } from './tasks/request-or-settle.ts';
import type { TaskHandle } from './tasks/task-handle.ts';
import type { ResultChecks } from './trust/result-checks.ts';

/**
 * One server, reached. All methods may run concurrently; each rejects with a `ClientError`, the peer's `ProtocolError`,
 * or a `TypeError` for an option that there is not. What the server says of itself may change when it is started again.
 */
export interface Client extends ClientReads, AsyncDisposable {
  /** The configured name of the server. */
  readonly name: string;
  /** Whether the server speaks without a handshake, at 2026-07-28 and later, or after `initialize`. */
  readonly era: 'modern' | 'legacy';
  /** The revision that is spoken. Spec: basic/versioning (2026-07-28). */
  readonly revision: Revision;
  /** What was learned of how to reach the server: a JSON value to keep and to give back as `prior`. */
  readonly verdict: EraVerdict;
  /** What the server calls itself, where it says so: for display only. */
  readonly serverInfo: Implementation | undefined;
  /**
   * What the server says that it can do; a method beyond that is sent all the same, and the server
   * refuses it; a list that it refuses so is empty.
   */
  readonly capabilities: ServerCapabilities;
  /** Text from outside. */
  readonly instructions: string | undefined;

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
  /**
   * Fills a prompt in and answers its messages, in order: text of the server. What it asks for meanwhile is answered in
   * rounds. Spec: server/prompts#getting-a-prompt (2026-07-28).
   */
  getPrompt(name: string, args?: { readonly [name: string]: string }, options?: CallOptions): Promise<GetPromptResult>;
  /**
   * Asks for values that complete an argument of a prompt or a variable of a resource template, the best first, 100 at
   * most. Spec: server/utilities/completion (2026-07-28).
   */
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

/** What a client's methods come from. */
export interface ClientParts {
  readonly caller: Caller;
  /** Answers the session that was opened last. */
  readonly latest: () => Session;
  readonly verdict: () => EraVerdict;
  readonly reads: ClientReads;
  readonly checks: ResultChecks;
  readonly tasks: ClientTasks;
  readonly takesTasks: boolean;
  readonly skills: ClientSkills;
  readonly subscribe: Subscriber['subscribe'];
  readonly close: () => Promise<void>;
}

/** Answers the client that its parts make: each method says where it leads, and does no more. */
export function createClient(parts: ClientParts): Client {
  const { caller, latest, verdict, reads, checks, tasks, skills, subscribe, close } = parts;
  const { context } = caller;
  return {
    name: context.server,
    get era() {
      return latest().era;
    },
    get revision() {
      return latest().facts.revision;
    },
    get verdict() {
      return verdict();
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
    request: (method, params, options) => requestOrSettle(parts, { method, params }, options),
    rootsChanged: (options) => caller.run('rootsChanged', options, async (call) => call.rootsChanged()),
    subscribe,
    close,
    [Symbol.asyncDispose]: close,
  };
}
