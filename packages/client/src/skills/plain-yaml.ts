import type { JsonObject } from '@switchyard/protocol';

/** A line that says something: how far it is indented, and its text. */
interface Line {
  readonly indent: number;
  readonly text: string;
}

/** Where the reader stands. */
interface Place {
  readonly lines: readonly Line[];
  next: number;
}

const MAX_DEPTH = 16;
const KEY = /^(?<key>"(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_./-]*)[ \t]*:(?:[ \t]+(?<value>[^ \t].*))?$/;
const NUMBER = /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const NO_NUMBER = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
/** How no text of one line begins that means itself. */
const INDICATOR = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?:\s|$)|---|\.\.\.)/;

/**
 * Reads the part of YAML in which heads of skills are mostly written: a map of keys to texts, numbers and booleans on
 * one line, maps and lists of these by indentation, and JSON. What means something else in YAML is refused and never
 * read another way. For the rest of YAML there is a library, which the root of this package needs not.
 *
 * Spec: YAML 1.2.2, core schema.
 *
 * @throws SyntaxError for everything else; the message says where.
 */
export function readPlainYaml(text: string): JsonObject {
  const lines: Line[] = [];
  for (const line of text.split(/\r?\n/)) {
    const content = line.trimEnd();
    const indent = content.length - content.trimStart().length;
    if (content === '' || content.startsWith('#', indent)) continue;
    if (content.slice(0, indent).includes('\t')) throw new SyntaxError('a tab is no indentation');
    lines.push({ indent, text: content.slice(indent) });
  }
  const place: Place = { lines, next: 0 };
  const map = readMap(place, lines[0]?.indent ?? 0, 1);
  if (place.next < lines.length) throw problemAt(place, 'is indented in a way that is not read');
  return map;
}

function readMap(place: Place, indent: number, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw problemAt(place, 'is nested too deeply');
  const members = new Map<string, unknown>();
  for (let line = place.lines[place.next]; line?.indent === indent; line = place.lines[place.next]) {
    const { key: written, value = '' } = KEY.exec(line.text)?.groups ?? {};
    if (written === undefined) throw problemAt(place, 'is no "key: value"');
    const key = written.startsWith('"') ? (JSON.parse(written) as string) : written;
    if (members.has(key)) throw problemAt(place, 'has a key that is there already');
    place.next += 1;
    members.set(key, value === '' ? readBelow(place, indent, depth) : readScalar(place, value));
  }
  return Object.fromEntries(members);
}

/** What stands under a key without a value: a map or a list, or nothing. */
function readBelow(place: Place, indent: number, depth: number): unknown {
  const line = place.lines[place.next];
  if (line === undefined) return null;
  const isItem = /^-(?: |$)/.test(line.text);
  // The items of a list may stand under their key without indentation.
  if (isItem && line.indent >= indent) return readList(place, line.indent);
  return line.indent > indent ? readMap(place, line.indent, depth + 1) : null;
}

function readList(place: Place, indent: number): unknown[] {
  const items: unknown[] = [];
  for (let line = place.lines[place.next]; line?.indent === indent; line = place.lines[place.next]) {
    const { item } = /^-[ \t]+(?<item>[^ \t].*)$/.exec(line.text)?.groups ?? {};
    if (item === undefined) break;
    place.next += 1;
    items.push(readScalar(place, item));
  }
  return items;
}

function readScalar(place: Place, value: string): unknown {
  const following = place.lines[place.next];
  const own = place.lines[place.next - 1];
  if (following !== undefined && own !== undefined && following.indent > own.indent) {
    throw problemAt(place, 'goes on with the line before it, which is not read');
  }
  if (/^["[{]/.test(value)) return readJson(place, value);
  const { quoted } = /^'(?<quoted>(?:[^']|'')*)'$/.exec(value)?.groups ?? {};
  if (quoted !== undefined) return quoted.replaceAll("''", "'");
  if (INDICATOR.test(value) || /:(?:\s|$)|\s#/.test(value) || NO_NUMBER.test(value)) {
    place.next -= 1;
    throw problemAt(place, 'has a value of a form that is not read');
  }
  if (/^(?:null|Null|NULL|~)$/.test(value)) return null;
  if (/^(?:true|True|TRUE)$/.test(value)) return true;
  if (/^(?:false|False|FALSE)$/.test(value)) return false;
  return NUMBER.test(value) ? Number(value) : value;
}

function readJson(place: Place, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    place.next -= 1;
    const problem = problemAt(place, 'has a value that is no JSON');
    problem.cause = cause;
    throw problem;
  }
}

function problemAt({ next }: Place, what: string): SyntaxError {
  return new SyntaxError(`entry ${next + 1} of the head ${what}`);
}
