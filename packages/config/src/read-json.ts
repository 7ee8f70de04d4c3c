import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { createLineIndex } from './line-index.ts';
import { createMapBuilder } from './map-builder.ts';
import type { KeyPath } from './problem.ts';
import type { Report } from './report.ts';
import { MAX_DEPTH, MAX_NODES, type SourceNode } from './source-node.ts';
import { createSyntaxReport } from './syntax-report.ts';

const words: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no JSON value',
  InvalidNumberFormat: 'this is no JSON number',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'the closing } is missing',
  CloseBracketExpected: 'the closing ] is missing',
  EndOfFileExpected: 'the text goes on after its end',
  InvalidCommentToken: 'a comment is not allowed in a .json file',
  UnexpectedEndOfComment: 'the comment does not end',
  UnexpectedEndOfString: 'the text in quotes does not end',
  UnexpectedEndOfNumber: 'the number does not end',
  InvalidUnicode: 'the \\u escape needs four hexadecimal digits',
  InvalidEscapeCharacter: 'this escape is not one of JSON',
  InvalidCharacter: 'a control character in quotes must be escaped',
};

/**
 * Reads JSON, or with `comments` JSON with comments and trailing commas, into a tree with positions.
 *
 * Refuses what is not valid, duplicate keys, the key `__proto__`, more than {@link MAX_DEPTH} levels and more than
 * {@link MAX_NODES} values. Answers undefined where there is no tree to go on with.
 */
export function readJson(text: string, comments: boolean, report: Report): SourceNode | undefined {
  const positionOf = createLineIndex(text);
  const tooDeep = offsetBeyondDepth(text);
  if (tooDeep !== undefined) {
    report.refuse(positionOf(tooDeep), [], `the values are nested deeper than ${MAX_DEPTH} levels`);
    return undefined;
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: comments });
  const refuseSyntax = createSyntaxReport('JSON', report);
  for (const error of errors) {
    const name = printParseErrorCode(error.error);
    refuseSyntax(positionOf(error.offset), words[name] ?? name, suggestionFor(name, text, error, comments));
  }
  if (errors.length > 0 || tree === undefined) return undefined;

  let nodes = 0;
  const convert = (node: Node, path: KeyPath): SourceNode => {
    nodes += 1;
    const at = positionOf(node.offset);
    const children = node.children ?? [];
    if (node.type === 'array') {
      return { kind: 'list', at, items: children.map((child, index) => convert(child, [...path, index])) };
    }
    if (node.type !== 'object') return { kind: 'scalar', at, value: scalarOf(node.value) };
    const builder = createMapBuilder(path, report);
    for (const { children: [key, value] = [] } of children) {
      if (key === undefined || value === undefined) continue;
      const name = String(key.value);
      builder.add(name, positionOf(key.offset), convert(value, [...path, name]));
    }
    return { kind: 'map', at, entries: builder.entries };
  };
  const root = convert(tree, []);
  if (nodes <= MAX_NODES) return root;
  report.refuse(root.at, [], `the file holds more than ${MAX_NODES} values`);
  return undefined;
}

function scalarOf(value: unknown): string | number | boolean | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** The parser is recursive, so the depth is measured on the tokens before it runs. */
function offsetBeyondDepth(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const first = text[scanner.getTokenOffset()];
    if (first === '{' || first === '[') depth += 1;
    else if (first === '}' || first === ']') depth -= 1;
    if (depth > MAX_DEPTH) return scanner.getTokenOffset();
  }
  return undefined;
}

function suggestionFor(name: string, text: string, error: ParseError, comments: boolean): string | undefined {
  if (name === 'InvalidCommentToken') return 'name the file .jsonc to write comments';
  const afterComma = /,\s*$/.test(text.slice(Math.max(0, error.offset - 64), error.offset));
  const closes = text[error.offset] === '}' || text[error.offset] === ']';
  if (!comments && afterComma && closes) return 'remove the comma before it, or name the file .jsonc';
  return undefined;
}
