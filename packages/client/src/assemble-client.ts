import type { ChangingList } from '@switchyard/protocol';
import { createCachedReads } from './cache/cached-reads.ts';
import type { AnswerCache } from './cache/response-cache.ts';
import type { Caller } from './call/caller.ts';
import { type Client, createClient } from './client.ts';
import type { SessionKeeper } from './negotiate/session-keeper.ts';
import type { Session } from './session/session.ts';
import { createClientSkills } from './skills/client-skills.ts';
import type { SkillsOptions } from './skills/skills-options.ts';
import type { ChangeFeed, ListName } from './subscriptions/change-feed.ts';
import { createKnownLists } from './subscriptions/known-lists.ts';
import { createSubscriber, type Subscriber } from './subscriptions/subscriber.ts';
import { createClientTasks, type TakingTasks } from './tasks/client-tasks.ts';
import type { TaskNews } from './tasks/task-news.ts';
import type { ResultChecks } from './trust/result-checks.ts';

/** What a client is assembled of once its server was reached. */
export interface ReachedServer {
  readonly caller: Caller;
  readonly keeper: SessionKeeper;
  /** The session of the start; later ones come from the keeper. */
  readonly first: Session;
  readonly checks: ResultChecks;
  readonly tasks: TakingTasks;
  readonly skills: SkillsOptions;
  readonly changes: ChangeFeed;
  readonly cache: AnswerCache | undefined;
  /** As `Transport.identity`. */
  readonly identity: string | undefined;
  /** The lists that the client listens to by itself, where the server tells of them. */
  readonly lists: readonly ChangingList[];
  readonly onListChanged: ((list: ListName) => unknown) | undefined;
}

/** Builds the parts of a client, lets them know of each other, and answers the client. */
export function assembleClient(reached: ReachedServer): Client {
  const { caller, keeper, first, checks, changes, cache, identity } = reached;
  // A server that was updated meanwhile says other things than at the start.
  const latest = (): Session => keeper.latest() ?? first;
  const known = createKnownLists();
  const cached = createCachedReads({ caller, keeper, changes, cache, identity, checks, known });
  const relearning = withAnnouncements(checks, changes);
  const tasks = createClientTasks({
    ...reached.tasks,
    caller,
    checks: relearning,
    revision: () => latest().facts.revision,
  });
  const subscriber = createSubscriber({
    context: caller.context,
    keeper,
    changes,
    known,
    reads: { list: cached.list, readResource: cached.reads.readResource },
    timeoutMs: caller.limits.timeoutMs,
  });
  subscriber.listenToLists(
    reached.lists.filter((list) => first.facts.capabilities[list]?.listChanged === true),
    reached.onListChanged,
  );
  return createClient({
    caller,
    latest,
    verdict: () => keeper.verdict() ?? { era: first.era, revision: first.facts.revision },
    reads: cached.reads,
    checks: relearning,
    tasks,
    takesTasks: reached.tasks.rules !== undefined,
    skills: createClientSkills(caller, checks, reached.skills),
    subscribe: subscribeWithNews(subscriber, reached.tasks.news),
    async close() {
      const parted = tasks.close();
      cached.close();
      await parted;
      await Promise.all([subscriber.close(), keeper.close()]);
    },
  });
}

/** Outside of a list call tools are learned only where the server says that a call does not fit those of before. */
function withAnnouncements(checks: ResultChecks, changes: ChangeFeed): ResultChecks {
  return {
    ...checks,
    learnTools(list) {
      changes.announce({ list: 'tools' });
      return checks.learnTools(list);
    },
  };
}

/** Whoever waits for a task hears what a subscription tells of it, whoever made that. */
function subscribeWithNews(subscriber: Subscriber, news: TaskNews): Subscriber['subscribe'] {
  return (filter, options) =>
    subscriber.subscribe(filter, {
      ...options,
      onNotification(notification) {
        news.take(notification);
        return options?.onNotification?.(notification);
      },
    });
}
