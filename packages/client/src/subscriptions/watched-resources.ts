import { errorCodes, ProtocolError, type ReadResourceResult } from '@switchyard/protocol';
import { versionOf } from './resource-version.ts';
import type { ResourceChange } from './subscription.ts';

/** Resources as they were read last. */
export interface WatchedResources {
  /** Has resources read, and tells of those that differ from what is known. */
  check(uris: Iterable<string>): void;
  /** The same, but what nothing is known of is only remembered. */
  begin(uris: Iterable<string>): void;
  /** The URIs of which something is known. */
  known(): readonly string[];
}

/** What it takes to watch. */
interface WatchSetup {
  /** The resources that were asked for; below them there may be any number. */
  readonly named: readonly string[];
  /** Asks the server, whatever a cache has. */
  readonly read: (uri: string) => Promise<ReadResourceResult>;
  readonly onChanged: (change: ResourceChange) => void;
}

/** How many resources are read at once. */
const MAX_READING = 4;
/** How many wait to be read; with more, those that were named are read in their place. */
const MAX_WAITING = 2000;
/** More than a subscription may name; resources below the watched ones come on top, and the oldest are forgotten. */
const MAX_KNOWN = 2000;

/**
 * Creates the watch. A resource that the server refuses to read is in a state of its own, told once; one that could not
 * be read for another reason, -32603 among them, is looked at again next time. Four are read at once, and one by one at
 * a time, so that no older reading is told after a newer one; for all that is said of it meanwhile it is read once more.
 */
export function createWatchedResources({ named, read, onChanged }: WatchSetup): WatchedResources {
  const versions = new Map<string, string>();
  /** What is to be read, and whether that is only a beginning. */
  const waiting = new Map<string, boolean>();
  const reading = new Set<string>();

  return {
    check: (uris) => add(uris, false),
    begin: (uris) => add(uris, true),
    known: () => [...versions.keys()],
  };

  function add(uris: Iterable<string>, isBeginning: boolean): void {
    let hasRoom = true;
    for (const uri of uris) {
      hasRoom = waiting.has(uri) || waiting.size < MAX_WAITING;
      if (!hasRoom) break;
      waiting.set(uri, isBeginning && waiting.get(uri) !== false);
    }
    if (!hasRoom) for (const uri of named) waiting.set(uri, false);
    readNext();
  }

  function readNext(): void {
    for (const [uri, isBeginning] of waiting) {
      if (reading.size >= MAX_READING) return;
      if (reading.has(uri)) continue;
      waiting.delete(uri);
      reading.add(uri);
      void compare(uri, isBeginning).then(() => {
        reading.delete(uri);
        readNext();
      });
    }
  }

  /** It never rejects. */
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
