import { assertKnownOptions, type Implementation, ProtocolError, saysListChanged } from '@switchyard/protocol';
import { assembleClient } from './assemble-client.ts';
import { createCaller } from './call/caller.ts';
import type { Client } from './client.ts';
import { type ConnectOptions, connectOptions, nodeOptions } from './connect-options.ts';
import { openPlatformFetch, poolOf } from './http/fetch.ts';
import { readTrustedOrigins } from './icons/icon-rules.ts';
import { watchRoots } from './input/watch-roots.ts';
import type { Transport } from './message/connection.ts';
import { createSessionKeeper } from './negotiate/session-keeper.ts';
import { ClientError } from './peer/client-error.ts';
import { createPeerContext } from './peer/peer-context.ts';
import { readConnectOptions } from './read-connect-options.ts';
import { createChangeFeed } from './subscriptions/change-feed.ts';
import { type Target, toTransport } from './target.ts';
import { targetHint } from './target-hint.ts';
import { createTaskNews } from './tasks/task-news.ts';
import { createResultChecks } from './trust/result-checks.ts';

/** What this package calls itself towards a server, unless told otherwise. */
export const defaultClientInfo: Implementation = { name: 'switchyard', version: '0.1.0' };

/**
 * Reaches one server of any revision: resolves when it has answered and the revision is settled. Rejects with a {@link
 * ClientError}, with a `ProtocolError` when a modern server refuses, or with a `TypeError` for an option that there is
 * not; then nothing stays open. The caller closes the client.
 *
 * Over HTTP the platform's `fetch` may have time limits of its own, which no option here moves: that of Node ends an
 * answer that is silent for 300,000 ms, before its headers or between two parts of its body, and the call rejects with
 * code `closed` (a tool call with `outcome-unknown`). Where `timeoutMs` is longer than that, use `connect` of
 * `@switchyard/client/node`, whose pool has no such limit, or give a `fetch` without one.
 *
 * Spec: basic/versioning (2026-07-28).
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  assertKnownOptions('connect', options, connectOptions, { 'connect of @switchyard/client/node': nodeOptions });
  const { fetch, headers, credentials } = options;
  const openPool = fetch === undefined ? openPlatformFetch : () => poolOf(fetch);
  const transport = toTransport(target, { headers, credentials, openPool });
  return connectThrough(transport, options, targetHint(target, 'root'));
}

/**
 * Connects through the transport of the target, where it has one; the way of all entries of this package. `hint` says
 * what was meant by a target that cannot be one.
 */
export async function connectThrough(
  transport: Transport | undefined,
  options: ConnectOptions,
  hint?: string,
): Promise<Client> {
  const server = options.name ?? transport?.name ?? 'unknown';
  const isTrustedOrigin = readTrustedOrigins(transport?.identity, options.icons);
  const context = createPeerContext({ ...options, server, isTrustedOrigin, secrets: transport?.secrets });
  if (hint !== undefined) throw context.fail('invalid-argument', hint);
  if (transport === undefined) {
    throw context.fail(
      'invalid-argument',
      'the target is none of: a URL, a command, a server in this process, a transport.',
    );
  }
  const { limits, input, tasks, skills, results, restarts, prior, cache, lists } = readConnectOptions(context, options);
  const changes = createChangeFeed();
  const news = createTaskNews();
  let lastId = 0;
  const keeper = createSessionKeeper({
    context,
    transport,
    client: {
      info: options.clientInfo ?? defaultClientInfo,
      capabilities: input.capabilities,
      announcesRoots: input.announcesRoots,
    },
    asking: input.asking,
    nextId: () => (lastId += 1),
    startTimeoutMs: limits.startTimeoutMs,
    probeTimeoutMs: limits.probeTimeoutMs,
    restarts,
    prior,
    verdicts: options.verdicts,
    // A change of a list is known at once, even in a flood; of the resources there may be too many.
    onArrival(notification) {
      if (saysListChanged(notification.method)) changes.take(notification);
    },
    onLoss: () => changes.lose(),
    onNotification(notification) {
      if (!saysListChanged(notification.method)) changes.take(notification);
      news.take(notification);
      context.callBack('onNotification', () => options.onNotification?.(notification));
    },
  });
  let kept = keeper;
  try {
    const first = await keeper.session(options.signal ?? new AbortController().signal);
    kept = watchRoots(context, keeper, options.input ?? {});
    return assembleClient({
      caller: createCaller(context, kept, limits, input.rounds),
      keeper: kept,
      first,
      checks: createResultChecks(context, results, () => changes.saidChangesOf('tools')),
      tasks: { rules: tasks, news },
      skills,
      changes,
      cache,
      identity: transport.identity,
      lists,
      onListChanged: options.onListChanged,
    });
  } catch (error) {
    // The start does not wait for the end of what it gave up, which takes as long as the process wants.
    kept
      .close()
      .catch((cause: unknown) => context.warn('left-behind', `what was started did not end: ${String(cause)}`));
    if (options.signal?.aborted !== true || error instanceof ClientError || error instanceof ProtocolError) throw error;
    throw context.fail('aborted', 'connecting was given up because the caller aborted it.', { cause: error });
  }
}
