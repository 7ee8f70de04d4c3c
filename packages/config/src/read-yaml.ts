import {
  Composer,
  isAlias,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type Document,
  type ParsedNode,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { createLineIndex } from './line-index.ts';
import { createMapBuilder } from './map-builder.ts';
import { renderPath, type KeyPath, type Position } from './problem.ts';
import type { Report } from './report.ts';
import { MAX_DEPTH, MAX_NODES, type MapEntry, type SourceNode } from './source-node.ts';
import { createSyntaxReport } from './syntax-report.ts';

const MAX_TOKENS = 300_000;

/**
 * Reads one YAML 1.2 document (core schema) into a tree with positions.
 *
 * Anchors, aliases and merge keys (`<<: *defaults`) work. Refused: what is not valid, tags beyond the core schema, keys
 * that are not text, duplicate keys, the key `__proto__`, an alias to nothing or to the value around it, more than
 * {@link MAX_DEPTH} levels and more than {@link MAX_NODES} values with every alias written out. Answers undefined where
 * there is no tree to go on with.
 */
export function readYaml(text: string, report: Report): SourceNode | undefined {
  const positionOf = createLineIndex(text);
  const tokens = tokenize(text, (offset, message) => report.refuse(positionOf(offset), [], message));
  if (tokens === undefined) return undefined;

  // The library compares each key with all others to find duplicates, which is quadratic; the map builder does it here.
  const composer = new Composer({
    uniqueKeys: false,
    stringKeys: true,
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) return undefined;
  const refuseSyntax = createSyntaxReport('YAML', report);
  for (const error of [...document.errors, ...document.warnings]) {
    refuseSyntax(positionOf(error.pos[0]), wordsFor(error));
  }
  if (document.directives?.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
    report.refuse({ line: 1, column: 1 }, [], 'only YAML 1.2 is read', 'remove the %YAML line');
  }
  if (second !== undefined) {
    const at = positionOf(second.range?.[0] ?? 0);
    report.refuse(at, [], 'the file holds more than one YAML document', 'remove the --- line');
  }
  if (report.refused || document.contents === null) return undefined;
  return convertDocument(document, positionOf, report);
}

type Refuse = (offset: number, message: string) => void;

function tokenize(text: string, refuse: Refuse): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes > MAX_TOKENS) {
      refuse(parser.offset, `the file holds more than ${MAX_TOKENS} YAML tokens`);
      return undefined;
    }
    tokens.push(...parser.next(lexeme));
    // The stack holds the collections that are open; composing them is recursive.
    if (parser.stack.length > MAX_DEPTH + 2) {
      refuse(parser.offset, `the values are nested deeper than ${MAX_DEPTH} levels`);
      return undefined;
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

/** The library's words, but for the messages that repeat a piece of the file, which may be a secret. */
function wordsFor(error: YAMLError): string {
  if (error.code === 'UNEXPECTED_TOKEN') return 'something unexpected stands here';
  if (error.code === 'BAD_DQ_ESCAPE') return 'this escape in double quotes does not exist; write \\\\ for a backslash';
  if (error.code === 'TAG_RESOLVE_FAILED') return 'tags beyond !!str, !!int, !!float, !!bool and !!null are refused';
  if (error.code === 'BAD_DIRECTIVE') return 'a directive of this kind is not known';
  if (error.code === 'NON_STRING_KEY') return 'a key must be plain text';
  return error.message.charAt(0).toLowerCase() + error.message.slice(1);
}

interface Anchored {
  readonly node: SourceNode;
  readonly size: number;
  readonly depth: number;
}

function convertDocument(
  document: Document.Parsed,
  positionOf: (offset: number) => Position,
  report: Report,
): SourceNode | undefined {
  const anchors = new Map<string, Anchored | 'open'>();
  let aliasesHold = true;
  let mergedEntries = 0;
  const start = (node: { range?: readonly [number, number, number] | null }): Position =>
    positionOf(node.range?.[0] ?? 0);
  const nothing = (at: Position): Anchored => ({ node: { kind: 'scalar', at, value: null }, size: 1, depth: 1 });

  const convert = (node: ParsedNode | null, at: Position, path: KeyPath): Anchored => {
    if (node === null) return nothing(at);
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined && target !== 'open') return target;
      aliasesHold = false;
      const fault = target === 'open' ? 'stands inside the value that it points to' : 'points to no anchor before it';
      // Its name is not repeated: it may be a secret that begins with a star.
      report.refuse(start(node), path, `this alias ${fault}`, 'a text that begins with * needs quotes');
      return nothing(at);
    }
    const { anchor } = node;
    if (anchor !== undefined) anchors.set(anchor, 'open');
    const converted = isScalar(node) ? convertScalar(node, path) : convertCollection(node, path);
    if (anchor !== undefined) anchors.set(anchor, converted);
    return converted;
  };

  const convertScalar = (
    node: { value: unknown; range?: [number, number, number] | null },
    path: KeyPath,
  ): Anchored => {
    const at = start(node);
    const { value } = node;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) {
      return { node: { kind: 'scalar', at, value }, size: 1, depth: 1 };
    }
    report.refuse(at, path, `${renderPath(path)} is of a kind that a configuration cannot hold`);
    return nothing(at);
  };

  const convertCollection = (node: YAMLMap.Parsed | YAMLSeq.Parsed, path: KeyPath): Anchored => {
    const at = start(node);
    let size = 1;
    let depth = 0;
    const count = (child: Anchored): SourceNode => {
      size += child.size;
      depth = Math.max(depth, child.depth);
      return child.node;
    };
    if (isSeq(node)) {
      const items = node.items.map((item, index) => count(convert(item, at, [...path, index])));
      return { node: { kind: 'list', at, items }, size, depth: depth + 1 };
    }
    const builder = createMapBuilder(path, report);
    const merged = new Map<string, MapEntry>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const keyAt = start(key);
      if (isScalar(key) && key.anchor !== undefined) anchors.set(key.anchor, convertScalar(key, path));
      const child = convert(value, keyAt, [...path, name]);
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') merge(count(child), keyAt, path, merged);
      else builder.add(name, keyAt, count(child));
    }
    for (const [name, entry] of merged) if (!builder.entries.has(name)) builder.add(name, entry.keyAt, entry.value);
    return { node: { kind: 'map', at, entries: builder.entries }, size, depth: depth + 1 };
  };

  const merge = (source: SourceNode, keyAt: Position, path: KeyPath, into: Map<string, MapEntry>): void => {
    const sources = source.kind === 'list' ? source.items : [source];
    for (const one of sources) {
      if (one.kind !== 'map')
        report.refuse(keyAt, [...path, '<<'], 'a merge key << needs a map, such as <<: *defaults');
      else {
        // The document counts at least as many values, so it is refused below.
        mergedEntries += one.entries.size;
        if (mergedEntries > MAX_NODES) return;
        for (const [name, entry] of one.entries) if (!into.has(name)) into.set(name, entry);
      }
    }
  };

  const { node, size, depth } = convert(document.contents, positionOf(0), []);
  if (!aliasesHold) return undefined;
  if (size > MAX_NODES) {
    report.refuse(node.at, [], `with its aliases written out the file holds more than ${MAX_NODES} values`);
    return undefined;
  }
  if (depth > MAX_DEPTH) {
    report.refuse(node.at, [], `with its aliases written out the values are nested deeper than ${MAX_DEPTH} levels`);
    return undefined;
  }
  return node;
}
