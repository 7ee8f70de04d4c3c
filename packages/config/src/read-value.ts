import { createMapBuilder } from './map-builder.ts';
import { renderPath, type KeyPath, type Position } from './problem.ts';
import type { Report } from './report.ts';
import { MAX_DEPTH, MAX_NODES, type SourceNode } from './source-node.ts';

const nowhere: Position = { line: 0, column: 0 };

/**
 * Reads a value that a program built into the tree that the text readers answer, without positions.
 *
 * Keys whose value is undefined count as absent. Refuses functions, symbols, big integers, instances of classes, the
 * key `__proto__`, cycles and anything deeper or larger than the text readers accept.
 */
export function readValue(value: unknown, report: Report): SourceNode | undefined {
  let nodes = 0;
  let exceeded = false;
  const convert = (current: unknown, path: KeyPath, depth: number): SourceNode => {
    nodes += 1;
    exceeded ||= nodes > MAX_NODES || depth > MAX_DEPTH;
    if (exceeded) return { kind: 'scalar', at: nowhere, value: null };
    if (Array.isArray(current)) {
      const items = current.map((item: unknown, index) => convert(item, [...path, index], depth + 1));
      return { kind: 'list', at: nowhere, items };
    }
    if (typeof current === 'string' || typeof current === 'number' || typeof current === 'boolean') {
      return { kind: 'scalar', at: nowhere, value: current };
    }
    if (isPlainObject(current)) {
      const builder = createMapBuilder(path, report);
      for (const [key, child] of Object.entries(current)) {
        if (child !== undefined) builder.add(key, nowhere, convert(child, [...path, key], depth + 1));
      }
      return { kind: 'map', at: nowhere, entries: builder.entries };
    }
    if (current !== null && current !== undefined) {
      report.refuse(nowhere, path, `${renderPath(path)} is a value that a configuration file could not hold`);
    }
    return { kind: 'scalar', at: nowhere, value: null };
  };
  const root = convert(value, [], 1);
  if (!exceeded) return root;
  report.refuse(nowhere, [], `the value is nested deeper than ${MAX_DEPTH} levels or larger than ${MAX_NODES} values`);
  return undefined;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
