import { quote, renderPlace, shownKey, type KeyPath, type Position } from './problem.ts';
import type { Report } from './report.ts';
import type { MapEntry, SourceNode } from './source-node.ts';

/** Builds the entries of one map under the rules that hold in every format: each key once, and never `__proto__`. */
export interface MapBuilder {
  readonly entries: ReadonlyMap<string, MapEntry>;
  /** Adds an entry. The first of two equal keys stays; the second is refused. */
  add(key: string, keyAt: Position, value: SourceNode): void;
}

/** Starts the map at `path`. */
export function createMapBuilder(path: KeyPath, report: Report): MapBuilder {
  const entries = new Map<string, MapEntry>();
  return {
    entries,
    add(key, keyAt, value) {
      const earlier = entries.get(key);
      if (key === '__proto__') {
        report.refuse(keyAt, [...path, key], `the key "__proto__" ${renderPlace(path)} is refused`);
      } else if (earlier !== undefined) {
        const place = earlier.keyAt.line > 0 ? `; it already stands on line ${earlier.keyAt.line}` : '';
        report.refuse(
          keyAt,
          [...path, key],
          `duplicate key ${quote(shownKey(key, path))} ${renderPlace(path)}${place}`,
          'keep one of the two',
        );
      } else {
        entries.set(key, { keyAt, value });
      }
    },
  };
}
