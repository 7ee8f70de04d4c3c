import { paramHeaderPrefix } from '../http-headers.ts';
import { showPointer } from '../json-pointer.ts';
import { isJsonObject, type JsonObject } from '../shape.ts';

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_TOKEN_LENGTH = 256;
const MAX_HEADERS = 128;
const MAX_PLACES = 100_000;
const MAX_DEPTH = 256;

/** Keywords whose members are named subschemas: the names are the author's own and never keywords. */
const NAMED_SUBSCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  '$defs',
  'definitions',
]);
/** Keywords whose values are instances. What stands in them is data and no annotation. */
const INSTANCES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** One argument of a tool that is mirrored into an HTTP header. */
export interface ParamHeader {
  /** The header's name as a client writes it, such as `Mcp-Param-Region`. */
  readonly name: string;
  /** The same name in lower case, for look-up. Unique in its plan. */
  readonly key: string;
  /** The property names that lead from the call's arguments to the value. Never empty. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

/** The headers of a tool whose annotations are valid, in the order of its schema; often none. */
export interface ParamHeaders {
  readonly headers: readonly ParamHeader[];
}

/** What the annotations of a tool come to: its headers, or one sentence on the rule that the tool breaks. */
export type ParamHeaderPlan = ParamHeaders | { readonly problem: string };

const NO_HEADERS: ParamHeaders = Object.freeze({ headers: Object.freeze([]) });

/** A place in the schema that still has to be looked at. */
interface Place {
  readonly schema: object;
  /** The keyword or name that leads here from `parent`. */
  readonly token: string;
  readonly parent: Place | undefined;
  readonly depth: number;
  /** Whether nothing but `properties` leads here from the root. */
  readonly isReachable: boolean;
}

/**
 * Reads the `x-mcp-header` annotations of a tool's `inputSchema`, as it came over the wire.
 *
 * An annotation is valid on a property that a chain of `properties` alone leads to, whose `type` is `string`, `integer`
 * or `boolean`, alone or in an array with `null` (an argument that is `null` has no header), and whose value is a token
 * of RFC 9110, at most 256 characters long and unique in the schema whatever its letter case. Anywhere else it makes
 * the tool invalid: under any other keyword, an unknown one too, but not inside `const`, `enum`, `default` and
 * `examples`, which hold data. A client leaves a tool with a `problem` out of its list; the sentence names the JSON
 * Pointer of the place.
 *
 * Never throws and never recurses: more than 128 headers, 256 levels or 100,000 places are a problem, so a schema
 * object with a cycle is one too. A schema that is no object has no headers.
 *
 * Spec: basic/transports/streamable-http#schema-extension and server/tools#x-mcp-header (2026-07-28)
 */
export function planParamHeaders(inputSchema: unknown): ParamHeaderPlan {
  if (!isJsonObject(inputSchema)) return NO_HEADERS;
  const headers = new Map<string, ParamHeader>();
  const places: Place[] = [{ schema: inputSchema, token: '', parent: undefined, depth: 0, isReachable: true }];
  let seen = 0;
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (isJsonObject(place.schema) && Object.hasOwn(place.schema, ANNOTATION)) {
      const header = readAnnotation(place, place.schema);
      if ('problem' in header) return header;
      const other = headers.get(header.key);
      if (other !== undefined) return { problem: describeDuplicate(place, header, other) };
      if (headers.size === MAX_HEADERS)
        return { problem: `The schema has more than ${MAX_HEADERS} ${ANNOTATION} annotations.` };
      headers.set(header.key, header);
    }
    const inner = placesWithin(place);
    seen += inner.length;
    if (seen > MAX_PLACES)
      return { problem: `The schema has more than ${MAX_PLACES} places to look for ${ANNOTATION} annotations.` };
    if (inner.length > 0 && place.depth === MAX_DEPTH) {
      return { problem: `The schema is nested more than ${MAX_DEPTH} levels deep at ${describePlace(place)}.` };
    }
    for (const next of inner.reverse()) places.push(next);
  }
  return headers.size === 0 ? NO_HEADERS : { headers: [...headers.values()] };
}

function readAnnotation(place: Place, schema: JsonObject): ParamHeader | { problem: string } {
  const where = describePlace(place);
  const token = schema[ANNOTATION];
  if (!place.isReachable || place.parent === undefined) {
    return {
      problem: `${ANNOTATION} stands at ${where}, but only a property that "properties" alone leads to may carry it.`,
    };
  }
  if (typeof token !== 'string' || token === '') {
    return { problem: `${ANNOTATION} at ${where} must be a string that is not empty.` };
  }
  if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) {
    return {
      problem: `${ANNOTATION} at ${where} must be an HTTP token of at most ${MAX_TOKEN_LENGTH} characters: letters, digits and !#$%&'*+-.^_\`|~ only.`,
    };
  }
  const type = readType(schema['type']);
  if (type === undefined) {
    return { problem: `${ANNOTATION} at ${where} needs a property whose type is string, integer or boolean.` };
  }
  const name = paramHeaderPrefix + token;
  return { name, key: name.toLowerCase(), path: readPath(place), type };
}

function readType(type: unknown): ParamHeader['type'] | undefined {
  const candidates: readonly unknown[] = Array.isArray(type) ? type.filter((member) => member !== 'null') : [type];
  const [only] = candidates;
  if (candidates.length !== 1) return undefined;
  return only === 'string' || only === 'integer' || only === 'boolean' ? only : undefined;
}

function placesWithin(place: Place): Place[] {
  const inner: Place[] = [];
  const depth = place.depth + 1;
  for (const [keyword, value] of Object.entries(place.schema)) {
    if (typeof value !== 'object' || value === null || INSTANCES.has(keyword)) continue;
    const outer: Place = { schema: value, token: keyword, parent: place, depth, isReachable: false };
    if (!NAMED_SUBSCHEMAS.has(keyword) || Array.isArray(value)) {
      inner.push(outer);
      continue;
    }
    const isReachable = place.isReachable && keyword === 'properties';
    for (const [name, subschema] of Object.entries(value)) {
      if (typeof subschema !== 'object' || subschema === null) continue;
      inner.push({ schema: subschema, token: name, parent: outer, depth, isReachable });
    }
  }
  return inner;
}

/** The property names to a reachable place: its pointer without each `properties` between them. */
function readPath(place: Place): string[] {
  return pointerTokens(place).filter((_, index) => index % 2 === 1);
}

function pointerTokens(place: Place): string[] {
  const tokens: string[] = [];
  for (let at: Place | undefined = place; at?.parent !== undefined; at = at.parent) tokens.push(at.token);
  return tokens.reverse();
}

function describePlace(place: Place): string {
  return place.parent === undefined ? 'the root' : showPointer(pointerTokens(place));
}

function describeDuplicate(place: Place, header: ParamHeader, other: ParamHeader): string {
  return `${ANNOTATION} at ${describePlace(place)} gives the header ${header.name}, which the property at ${showPointer(other.path)} has already; names must differ in more than letter case.`;
}
