import { errorCodes, ProtocolError, type ReadResourceResult } from '@switchyard/protocol';
import { forEachOf } from './for-each-of.ts';
import { versionOf } from './resource-version.ts';
import type { ResourceChange } from './subscription.ts';

/** Resources as they were read last. */
export interface WatchedResources {
  /** Reads resources, four at once, and tells of those that differ from what is known. It never rejects. */
  check(uris: Iterable<string>): Promise<void>;
  /** The same, but what nothing is known of is only remembered. */
  begin(uris: Iterable<string>): Promise<void>;
  /** The URIs of which something is known. */
  known(): readonly string[];
}

/** What it takes to watch. */
interface WatchSetup {
  /** Asks the server, whatever a cache has. */
  readonly read: (uri: string) => Promise<ReadResourceResult>;
  readonly onChanged: (change: ResourceChange) => void;
}

/** One reading, and the one that follows it. */
interface Looking {
  readonly done: Promise<void>;
  /** For all who came meanwhile: what is being read may be older than what they heard of. */
  next: Promise<void> | undefined;
}

/** More than a subscription may name; resources below the watched ones come on top, and the oldest are forgotten. */
const MAX_KNOWN = 2000;

/**
 * Creates the watch. A resource that the server refuses to read is in a state of its own, told once; one that could not
 * be read for another reason, -32603 among them, is looked at again next time. One resource is read by one at a time, so
 * that no older reading is told after a newer one.
 */
export function createWatchedResources({ read, onChanged }: WatchSetup): WatchedResources {
  const versions = new Map<string, string>();
  const lookings = new Map<string, Looking>();

  return {
    check: (uris) => forEachOf(uris, (uri) => look(uri, false)),
    begin: (uris) => forEachOf(uris, (uri) => look(uri, true)),
    known: () => [...versions.keys()],
  };

  function look(uri: string, isBeginning: boolean): Promise<void> {
    const present = lookings.get(uri);
    if (present !== undefined) return (present.next ??= present.done.then(() => begin(uri, isBeginning)));
    return begin(uri, isBeginning);
  }

  function begin(uri: string, isBeginning: boolean): Promise<void> {
    const looking: Looking = { done: compare(uri, isBeginning).finally(() => end(uri, looking)), next: undefined };
    lookings.set(uri, looking);
    return looking.done;
  }

  function end(uri: string, looking: Looking): void {
    if (looking.next === undefined) lookings.delete(uri);
  }

  async function compare(uri: string, isBeginning: boolean): Promise<void> {
    let change: ResourceChange;
    let version: string;
    try {
      const result = await read(uri);
      change = { uri, result };
      version = versionOf(result);
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code === errorCodes.internalError.code) return;
      change = { uri, error };
      version = `error ${error.code}`;
    }
    const before = versions.get(uri);
    remember(uri, version);
    if (version === before || (isBeginning && before === undefined)) return;
    onChanged(change);
  }

  function remember(uri: string, version: string): void {
    versions.delete(uri);
    versions.set(uri, version);
    const [oldest] = versions.keys();
    if (versions.size > MAX_KNOWN && oldest !== undefined) versions.delete(oldest);
  }
}
