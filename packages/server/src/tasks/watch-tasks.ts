import { extensions, type Logger, ProtocolError } from '@switchyard/protocol';

import { assertScopes } from '../authorization/assert-scopes.ts';
import { assertExtension } from '../dispatch/declared-extension.ts';
import type { RequestContext } from '../handler/request-context.ts';
import type { TaskStore } from './task-store.ts';
import { TaskWatch } from './task-watch.ts';

/** Most tasks of one subscription. */
const MAX_WATCHED = 100;

/**
 * Answers what a subscriber who asked for these tasks is told; tasks that are not there, and those of others, are left
 * out. Rejects with -32021 when the client did not declare the extension.
 */
export async function watchTasks(
  ids: readonly string[],
  { capabilities, principal }: RequestContext,
  { store, logger }: { readonly store: TaskStore; readonly logger: Logger },
): Promise<TaskWatch> {
  assertExtension(capabilities, extensions.tasks);
  const asked = new Set(ids);
  if (asked.size > MAX_WATCHED)
    throw new ProtocolError(
      'invalidParams',
      `A subscription names at most ${MAX_WATCHED} tasks, not ${asked.size}: open several`,
    );
  const found = new Map<string, string>();
  for (const id of asked) {
    const key = store.keyOf(principal, id);
    const record = key === undefined ? undefined : await store.read(key);
    if (key === undefined || record === undefined) continue;
    assertScopes(principal, record.scopes ?? []);
    found.set(key, id);
  }
  return new TaskWatch(store, found, (err) => logger.error({ err }, 'a watched task could not be read'));
}
