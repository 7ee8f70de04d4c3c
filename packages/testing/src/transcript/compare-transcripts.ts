import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import { createPlaceholderPairs, type PlaceholderPairs } from './placeholder-pairs.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

/** One difference between two transcripts. */
export interface TranscriptDifference {
  /** Of the exchange; the second one with the same words ends in ` (2)`. */
  readonly label: string;
  /** Where: `exchange`, or a path such as `response.result.tools[search].title`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Members by which the objects of a list are told apart. */
const identities = ['name', 'uri', 'uriTemplate'];

/**
 * Answers what is different in two transcripts, exchange by exchange: those with the same label are compared, those
 * without a counterpart are `added` or `removed` as a whole. Lists whose entries have names are compared by name, and
 * their order for itself; of the number of a message, whether it has one.
 */
export function compareTranscripts(before: Transcript, after: Transcript): readonly TranscriptDifference[] {
  const left = byLabel(before.entries);
  const right = byLabel(after.entries);
  const pairs = createPlaceholderPairs();
  const differences: TranscriptDifference[] = [];
  for (const [key, { label }] of new Map([...left, ...right])) {
    const add: Add = (path, kind, values) => void differences.push({ label, path, kind, ...values });
    const [one, other] = [left.get(key)?.entry, right.get(key)?.entry];
    if (one === undefined) add('exchange', 'added', { after: other });
    else if (other === undefined) add('exchange', 'removed', { before: one });
    else compareObjects(one, other, (key) => key, { add, pairs });
  }
  return differences;
}

interface LabelledEntry {
  readonly label: string;
  readonly entry: JsonObject;
}

/** Entries by label and how often that came before; a label may itself end like one that is numbered. */
function byLabel(entries: readonly TranscriptEntry[]): ReadonlyMap<string, LabelledEntry> {
  const seen = new Map<string, number>();
  const result = new Map<string, LabelledEntry>();
  for (const entry of entries) {
    const count = (seen.get(entry.label) ?? 0) + 1;
    seen.set(entry.label, count);
    const label = count === 1 ? entry.label : `${entry.label} (${count})`;
    result.set(`${count} ${entry.label}`, { label, entry: toComparable(entry) });
  }
  return result;
}

/**
 * An entry whose response stands apart from what came before it. The numbers of messages depend on those before; only
 * whether there is one is compared.
 */
function toComparable({ instance, sent, received }: TranscriptEntry): JsonObject {
  const { messages, ...rest } = received;
  const isResponse = (message: JsonObject): boolean =>
    Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error');
  const response = messages.findLast(isResponse);
  const others = messages.filter((message) => message !== response);
  return {
    instance,
    sent: { ...sent, message: withoutNumber(sent.message) },
    ...rest,
    ...(others.length === 0 ? {} : { before: others.map(withoutNumber) }),
    ...(response === undefined ? {} : { response: withoutNumber(response) }),
  };
}

function withoutNumber(message: JsonObject): JsonObject {
  return typeof message['id'] === 'number' ? { ...message, id: '<number>' } : message;
}

type Add = (
  path: string,
  kind: TranscriptDifference['kind'],
  values: { readonly before?: unknown; readonly after?: unknown },
) => void;

/** What one comparison writes to. */
interface Comparing {
  readonly add: Add;
  readonly pairs: PlaceholderPairs;
}

function compareValues(before: unknown, after: unknown, path: string, comparing: Comparing): void {
  if (isJsonObject(before) && isJsonObject(after)) {
    compareObjects(before, after, (key) => `${path}.${key}`, comparing);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(before, after, path, comparing);
  } else if (before !== after) {
    const isSame = typeof before === 'string' && typeof after === 'string' && comparing.pairs.agree(before, after);
    if (!isSame) comparing.add(path, 'changed', { before, after });
  } else if (typeof before === 'string' && !comparing.pairs.agree(before, before)) {
    // The same placeholder stands for a value that met another one before.
    comparing.add(path, 'changed', { before, after });
  }
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  pathOf: (key: string) => string,
  comparing: Comparing,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const path = pathOf(key);
    if (!Object.hasOwn(before, key)) comparing.add(path, 'added', { after: after[key] });
    else if (!Object.hasOwn(after, key)) comparing.add(path, 'removed', { before: before[key] });
    else compareValues(before[key], after[key], path, comparing);
  }
}

function compareLists(before: readonly unknown[], after: readonly unknown[], path: string, comparing: Comparing): void {
  for (const identity of identities) {
    const [left, right] = [byIdentity(before, identity), byIdentity(after, identity)];
    if (left === undefined || right === undefined) continue;
    compareObjects(Object.fromEntries(left), Object.fromEntries(right), (key) => `${path}[${key}]`, comparing);
    const shared = [...left.keys()].filter((key) => right.has(key));
    const order = [...right.keys()].filter((key) => left.has(key));
    if (shared.join('\n') !== order.join('\n'))
      comparing.add(`${path}.order`, 'changed', { before: shared, after: order });
    return;
  }
  compareObjects({ ...before }, { ...after }, (index) => `${path}[${index}]`, comparing);
}

function byIdentity(list: readonly unknown[], identity: string): ReadonlyMap<string, unknown> | undefined {
  const map = new Map<string, unknown>();
  for (const entry of list) {
    const key = isJsonObject(entry) ? entry[identity] : undefined;
    if (typeof key !== 'string' || map.has(key)) return undefined;
    map.set(key, entry);
  }
  return map;
}
