import { isJsonObject, type Notification, notifications } from '@switchyard/protocol';

/** Tells who waits for a task that a notification spoke of it. */
export interface TaskNews {
  /** Takes any notification of the server; those that speak of no task are ignored. */
  take(notification: Notification): void;
  /** Calls `onNews` for each notification of a task, until the function that it answers is called. */
  follow(taskId: string, onNews: () => void): () => void;
}

/**
 * Creates the news of one client. A notification is a reason to look at a task earlier and no more: what it says is
 * asked for with `tasks/get`, and no more often than `minPollMs` allows.
 *
 * Spec: SEP-2663, task status notifications.
 */
export function createTaskNews(): TaskNews {
  const followers = new Map<string, Set<() => void>>();
  return {
    take({ method, params }) {
      if (method !== notifications.task.method || !isJsonObject(params)) return;
      const { taskId } = params;
      if (typeof taskId !== 'string') return;
      for (const onNews of followers.get(taskId) ?? []) onNews();
    },
    follow(taskId, onNews) {
      const those = followers.get(taskId) ?? new Set();
      followers.set(taskId, those.add(onNews));
      return () => {
        those.delete(onNews);
        if (those.size === 0 && followers.get(taskId) === those) followers.delete(taskId);
      };
    },
  };
}
