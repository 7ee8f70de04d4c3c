import type { TemplateMatch } from './uri-template/bind.ts';
import { expandTemplate, type TemplateValues } from './uri-template/expand.ts';
import { compileMatcher } from './uri-template/match.ts';
import { parseTemplateParts, type TemplatePart } from './uri-template/parts.ts';

const DEFAULT_MAX_URI_LENGTH = 65_536;
/** Text that a URI without escapes spells exactly so. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]*/;

/** Limits of a template. */
export interface UriTemplateOptions {
  /** The longest URI in characters that `match` looks at. Default 65,536; a longer one does not match. */
  readonly maxUriLength?: number;
}

/** A URI template of RFC 6570 level 4, parsed once, for expansion and for matching. Immutable. */
export interface UriTemplate {
  /** The template as it was given. */
  readonly source: string;
  /** The names of its variables, each once, in the order of their first use. */
  readonly variables: readonly string[];
  /** How many characters its source has outside of expressions; see `compareTemplates`. */
  readonly specificity: number;
  /**
   * Expands the template. Throws `UriTemplateError` for a value without an expansion: a prefix of a list or map, a
   * nested value, a number that is not finite, an unpaired surrogate.
   */
  expand(values: TemplateValues): string;
  /** Finds the values of a URI, or `undefined` where it does not match. Never throws; see `parseUriTemplate`. */
  match(uri: string): TemplateMatch | undefined;
  /**
   * Answers how many steps `match` takes at most for a URI: the number of parts times the length of the URI. 0 where it
   * is told at once that the URI does not match. For whoever holds a URI from outside against many templates from
   * outside.
   */
  matchCost(uri: string): number;
}

/**
 * Parses a URI template. Throws `UriTemplateError` with a position where it breaks the grammar, has more than 8,192
 * characters or more than 64 expressions.
 *
 * `match` inverts `expand` as far as that is unambiguous, in time and memory that grow with the number of parts times
 * the length of the URI, whatever both hold:
 *
 * - Values are decoded exactly once. A URI with an incomplete escape, escapes that are no UTF-8, or characters that
 *   belong neither into a URI nor into an IRI does not match. `%61` and `a` are the same character, `%2F` and `/` are
 *   not.
 * - The value of an exploded variable is always a list, of any other always one text, in which the commas of an
 *   expanded list remain. Maps are not recovered.
 * - `{var}` and `{+var}` need at least one character; only `{+var}` and `{#var}` take `/`, `?`, `#` unescaped.
 *   Expressions with another operator may be absent, and their variables are then absent from the result.
 * - Each expression takes the fewest characters that let the rest match: `{name}{.type}` splits `a.tar.gz` after `a`.
 * - Named values (`;`, `?`, `&`) stand in any order, each at most once unless exploded, and unknown names do not match.
 * - A variable that occurs twice must have equal values; a prefix (`{var:3}`) must fit the whole value where there is
 *   one, and is the value where there is none.
 *
 * Spec: server/resources#resource-templates (2026-07-28); RFC 6570 sections 2 and 3
 */
export function parseUriTemplate(source: string, options: UriTemplateOptions = {}): UriTemplate {
  const { maxUriLength = DEFAULT_MAX_URI_LENGTH } = options;
  const parts = parseTemplateParts(source);
  // A host parses the templates of its servers at each list, and matches few of them.
  let findValues: ReturnType<typeof compileMatcher> | undefined;
  const plainStart = readPlainStart(parts);
  return Object.freeze({
    source,
    variables: Object.freeze(listVariables(parts)),
    specificity: countLiterals(parts),
    expand: (values: TemplateValues) => expandTemplate(parts, values),
    match: (uri: string) => {
      if (!couldMatch(uri)) return undefined;
      findValues ??= compileMatcher(parts);
      return findValues(uri);
    },
    matchCost: (uri: string) => (couldMatch(uri) ? (parts.length + 1) * (uri.length + 1) : 0),
  });

  /** Most URIs differ early from a template that does not match them, and need not be read. */
  function couldMatch(uri: string): boolean {
    return uri.length <= maxUriLength && (uri.startsWith(plainStart) || startsWithEscape(uri, plainStart));
  }
}

/** Whether a URI has an escape where it would else have to begin with `start`, and begins with it up to there. */
function startsWithEscape(uri: string, start: string): boolean {
  const escape = uri.slice(0, start.length).indexOf('%');
  return escape >= 0 && uri.startsWith(start.slice(0, escape));
}

/**
 * Orders templates for a server that takes the first one that matches: more literal characters first. Templates with
 * equally many compare as 0, so a stable sort keeps the order of their registration.
 */
export function compareTemplates(a: UriTemplate, b: UriTemplate): number {
  return b.specificity - a.specificity;
}

function readPlainStart([first]: readonly TemplatePart[]): string {
  return first?.kind === 'literal' ? (PLAIN.exec(first.text)?.[0] ?? '') : '';
}

function listVariables(parts: readonly TemplatePart[]): string[] {
  const names = parts.flatMap((part) => (part.kind === 'expression' ? part.varspecs.map(({ name }) => name) : []));
  return [...new Set(names)];
}

function countLiterals(parts: readonly TemplatePart[]): number {
  return parts.reduce((count, part) => count + (part.kind === 'literal' ? part.text.length : 0), 0);
}
