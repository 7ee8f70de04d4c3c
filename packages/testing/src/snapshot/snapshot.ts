import { httpHeaders, isJsonObject, type JsonObject, latestRevision, notifications } from '@switchyard/protocol';

import type { RawExchange } from '../raw/raw-client.ts';
import { serverInfoOf } from '../check/seen.ts';
import { toTranscript } from '../transcript/to-transcript.ts';
import { MAX_NESTING, type TranscriptEntry } from '../transcript/transcript.ts';
import type { SnapshotPlan } from './snapshot-plan.ts';
import type { RanSnapshotStep } from './run-snapshot-plan.ts';

/** A snapshot that holds what no snapshot may; the message says where and what. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/**
 * Answers the snapshot of a plan that was run, as JSON text: the same bytes for the same behaviour. Members are sorted;
 * what differs from run to run stands as a placeholder. Throws a SnapshotError, see {@link assertSnapshot}: also for
 * what a snapshot does not show, such as headers and messages on the way.
 */
export function renderSnapshot(plan: SnapshotPlan, ran: readonly RanSnapshotStep[]): string {
  const exchanges = ran.flatMap((step) => step.exchanges);
  for (const exchange of exchanges) assertExchange(exchange);
  const [opening] = exchanges;
  const info = opening === undefined ? undefined : serverInfoOf(opening);
  const { head, entries } = toTranscript({ transport: plan.transport, exchanges }, info);
  let at = 0;
  const steps = ran.map(({ step, exchanges: own }) => {
    const kept = entries.slice(at, at + own.length);
    at += own.length;
    return { step, entries: kept };
  });
  const discovery = steps.find(({ step }) => step.method === 'server/discover');
  // The first list of each kind is the catalog. Others, of another instance or a further page, are results like any.
  const lists = new Map(
    steps
      .filter(({ step }) => step.method.endsWith('/list'))
      .toReversed()
      .map((step) => [step.step.method, step]),
  );
  const apart = new Set([discovery, ...lists.values()]);
  const snapshot = {
    format: 'switchyard-capability-snapshot/1',
    revision: latestRevision,
    name: plan.name,
    server: head.server,
    discovery: responseOf(discovery?.entries[0]),
    catalogs: Object.fromEntries([...lists].map(([method, { entries: own }]) => [method, responseOf(own[0])])),
    results: steps
      .filter((step) => step.entries.length === 1 && !apart.has(step))
      .map(({ step, entries: own }) => toRound(own[0], step.caller)),
    rounds: steps
      .filter(({ entries: own }) => own.length > 1)
      .map(({ step, entries: own }) => ({
        label: step.label,
        exchanges: own.map((entry) => toRound(entry, step.caller)),
      })),
    progress: entries.flatMap(({ label, received }) => progressOf(label, received.messages)),
    deployment: { ...plan.deployment, transport: plan.transport, instances: plan.instances },
  };
  const text = `${JSON.stringify(sorted(snapshot), null, 2)}\n`;
  assertSnapshot(text);
  return text;
}

/**
 * Asserts that a snapshot shows no handshake (`initialize`), no session id, and no request from the server. Throws a
 * SnapshotError that says where it does, and for a text that is no JSON object.
 */
export function assertSnapshot(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SnapshotError('the snapshot is not JSON', { cause: error });
  }
  if (!isJsonObject(value)) throw new SnapshotError('the snapshot is no JSON object');
  look(value, '');
}

/** What was received is looked at before it is cleaned and cut, so that nothing gets by in what is left out. */
function assertExchange({ label, received, headers = {} }: RawExchange): void {
  if (Object.hasOwn(headers, httpHeaders.sessionId.key))
    throw new SnapshotError(`the answer to ${label} has a session id: the header ${httpHeaders.sessionId.name}`);
  for (const message of received) look(message, `the answer to ${label}`);
}

function look(value: unknown, at: string, depth = 0): void {
  if (depth > MAX_NESTING) throw new SnapshotError(`${at.slice(0, 100)}… is nested deeper than ${MAX_NESTING} levels`);
  if (typeof value === 'string' && /^(?:notifications\/)?initialized?$/.test(value))
    throw new SnapshotError(`${at} is the handshake of an older revision: ${value}`);
  if (Array.isArray(value)) {
    for (const [index, entry] of (value as unknown[]).entries()) look(entry, `${at}[${index}]`, depth + 1);
  } else if (isJsonObject(value)) {
    if (typeof value['method'] === 'string' && Object.hasOwn(value, 'id') && !at.endsWith('.sent'))
      throw new SnapshotError(`${at} is a request from the server: ${value['method']}`);
    for (const [key, member] of Object.entries(value)) {
      if (/session-?_?id/i.test(key)) throw new SnapshotError(`${at}.${key} is a session id`);
      look(member, `${at}.${key}`, depth + 1);
    }
  }
}

function responseOf(entry: TranscriptEntry | undefined): unknown {
  const response = entry?.received.messages.at(-1);
  return response?.['result'] ?? response?.['error'];
}

function toRound(entry: TranscriptEntry | undefined, caller: string | undefined): JsonObject {
  if (entry === undefined) return {};
  const { label, instance, sent, received } = entry;
  const response = received.messages.at(-1) ?? {};
  const { jsonrpc: _jsonrpc, ...message } = sent.message;
  const { jsonrpc: _version, ...answer } = response;
  return {
    label,
    instance,
    ...(caller === undefined ? {} : { caller }),
    sent: message,
    received: { ...(received.status === undefined ? {} : { status: received.status }), ...answer },
  };
}

function progressOf(label: string, messages: readonly JsonObject[]): readonly JsonObject[] {
  return messages
    .filter(({ method }) => method === notifications.progress.method)
    .map(({ params }) => ({ label, params }));
}

/** Members by name; the order of lists is theirs. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]));
}
