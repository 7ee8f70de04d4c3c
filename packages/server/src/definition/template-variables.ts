import { isJsonObject, type JsonObject, toLimit, type UriTemplate } from '@switchyard/protocol';

import { MAX_URI_CHARS } from './max-uri-chars.ts';
import { countUpward, type Danger, dangers, findDanger, type Slashes } from './value-danger.ts';
import { type Accepted, type Checked, compileValueSchema, type ValueSchema } from '../schema/value-schema.ts';
import { readVariableSchema, type VariableSchema } from './variable-schema.ts';

/** Variables of a template as they stood in the URI, percent-decoded once; an exploded one is a list. */
export type TemplateVariables = { readonly [name: string]: string | readonly string[] };

/** The variables that a handler gets: what passed the schema, or, without one, texts and lists of texts. */
export type TemplateValues<V> = [undefined] extends [V]
  ? TemplateVariables
  : V extends ValueSchema
    ? Accepted<V>
    : never;

/** What an author says about the variables of a template. */
export interface VariableRules<V extends ValueSchema | undefined = ValueSchema | undefined> {
  /**
   * The schema of all variables, as one object. A value is text, and a list of texts where the variable is exploded;
   * where the schema takes numbers or booleans and no text, `42`, `0.5`, `true` and `false` in their one spelling
   * arrive as such. Defaults are filled in. A template without it gets texts as they are.
   */
  readonly variables?: V;
  /** The longest value of one variable, in UTF-16 units. Default: the schema's own `maxLength`, else 1,024. */
  readonly maxVariableChars?: number;
  /**
   * What is let through for a variable although it is dangerous in a path. Otherwise a value with a control character,
   * with `..` as a path segment, escaped twice, or with an encoded slash or backslash never reaches the handler;
   * neither do values that make `..` in the URI together, as `.` and an empty one do in `{name}{.ext}`, unless each of
   * them admits it. A value that an `enum` or a `const` of the schema names is let through as it is, and a slash where
   * a `pattern` of the schema writes one. `{+var}` and `{#var}` take slashes by their nature, but behind a slash
   * (`file:///{+path}`) none in front. Without `variables`, an encoded slash inside a value (`a%2Fb`) is let through as
   * well.
   */
  readonly admit?: { readonly [variable: string]: readonly Danger[] };
}

/** Checks the variables that a template found in a URI; it may change the record that it is given. */
export type CheckVariables = (variables: Record<string, unknown>, uri: string) => Checked | Promise<Checked>;

/** The longest value unless somebody says otherwise. */
const MAX_VARIABLE_CHARS = 1_024;

interface Variable {
  readonly maxChars: number;
  readonly slashes: Slashes;
  readonly admitted: ReadonlySet<Danger>;
  readonly schema: VariableSchema | undefined;
}

/** What the expressions of a template say of its variables. */
interface VariableKinds {
  /** Those that are lists. */
  readonly exploded: ReadonlySet<string>;
  /** Those that take unescaped slashes, and which. */
  readonly slashes: ReadonlyMap<string, Slashes>;
}

const EXPRESSION = /\{([+#]?)[./;?&]?([^{}]*)\}/g;
const INSIDE_PATH = /(?<!^[A-Za-z][A-Za-z0-9+.-]*:\/)\/$/;

/**
 * Reads the kinds of a template's variables. Its literals hold no braces, so that its expressions can be found without
 * their grammar once it has passed.
 */
function readVariableKinds(uriTemplate: string): VariableKinds {
  const exploded = new Set<string>();
  const slashes = new Map<string, Slashes>();
  for (const { 1: operator = '', 2: body = '', index: start } of uriTemplate.matchAll(EXPRESSION)) {
    const follows = operator === '+' && INSIDE_PATH.test(uriTemplate.slice(0, start));
    for (const [index, spec] of body.split(',').entries()) {
      const name = spec.replace(/(?:\*|:\d+)$/, '');
      if (spec.endsWith('*')) exploded.add(name);
      if (operator !== '') slashes.set(name, follows && index === 0 ? 'relative' : 'path');
    }
  }
  return { exploded, slashes };
}

/**
 * Compiles the rules for the variables of a template. Errors call the template `about`.
 *
 * @throws TypeError when a rule names a variable that there is not, the schema leaves no room for one that there is, or
 *   a limit is out of range; whatever compiling the schema throws.
 */
export function compileVariables(
  about: string,
  names: readonly string[],
  template: UriTemplate,
  rules: VariableRules,
): CheckVariables {
  const kinds = readVariableKinds(template.source);
  const schema = rules.variables === undefined ? undefined : compileValueSchema(rules.variables, 'in');
  if (schema !== undefined) assertAgree(about, names, schema.jsonSchema);
  const admit = readAdmit(about, names, rules.admit ?? {});
  const maxChars =
    rules.maxVariableChars === undefined
      ? undefined
      : toLimit(`${about}: maxVariableChars`, rules.maxVariableChars, 1, MAX_URI_CHARS);
  const variables = new Map<string, Variable>();
  for (const name of names) {
    const own =
      schema === undefined ? undefined : readVariableSchema(schema.jsonSchema, name, kinds.exploded.has(name));
    const admitted = new Set(admit.get(name));
    if (own?.writesSlash === true) admitted.add('slash');
    variables.set(name, {
      maxChars: maxChars ?? Math.min(own?.maxLength ?? MAX_VARIABLE_CHARS, MAX_URI_CHARS),
      slashes: kinds.slashes.get(name) ?? (schema === undefined ? 'relative' : 'none'),
      admitted,
      schema: own,
    });
  }
  return (values, uri) => {
    const problem = firstProblemOf(variables, values) ?? joinedProblem(variables, template, uri);
    if (problem !== undefined) return { problem };
    return schema === undefined ? { value: values } : schema.check(values);
  };
}

/**
 * Answers what is wrong with a value alone; where there is nothing, the values are in the form that their schema wants.
 */
function firstProblemOf(variables: ReadonlyMap<string, Variable>, values: Record<string, unknown>): string | undefined {
  for (const name of Object.keys(values)) {
    const variable = variables.get(name);
    const value = values[name] as string | readonly string[];
    if (variable === undefined) continue;
    const problem = typeof value === 'string' ? problemOf(variable, value) : firstProblem(variable, value);
    if (problem !== undefined) return `the variable "${name}" ${problem}`;
    const own = variable.schema;
    if (own !== undefined)
      values[name] = typeof value === 'string' ? own.convert(value) : value.map((item) => own.convert(item));
  }
  return undefined;
}

/**
 * Answers what is wrong with the values together. `..` in a URI may be of the template's own words and of variables
 * that admit it. So the URI is compared with what it would be with harmless values for all others: what is gone then,
 * they took part in.
 */
function joinedProblem(
  variables: ReadonlyMap<string, Variable>,
  template: UriTemplate,
  uri: string,
): string | undefined {
  if (countUpward(uri) === 0) return undefined;
  const values = Object.entries(template.match(uri) ?? {});
  const countWith = (shown: (variable: Variable | undefined, value: string) => string): number => {
    const all = values.map(([name, value]) => {
      const variable = variables.get(name);
      return [
        name,
        typeof value === 'string' ? shown(variable, value) : value.map((item) => shown(variable, item)),
      ] as const;
    });
    return countUpward(template.expand(Object.fromEntries(all)));
  };
  const hidden = countWith((variable, value) =>
    // What asks for a segment reaches no handler.
    variable === undefined || variable.admitted.has('dots') ? withoutMarks(value) : hide(variable, value),
  );
  return countWith((_variable, value) => withoutMarks(value)) > hidden
    ? 'its variables make ".." a path segment of the URI together'
    : undefined;
}

/**
 * A value divides a path by its slashes alone, and ends it by a query or fragment of its own, in which no path goes on.
 * Other marks divide a URI only where the template has them: `Wait, ...` is a title.
 */
function withoutMarks(value: string): string {
  return value.replace(/[?#].*$/s, '?x').replaceAll(/[;&=,:]/g, 'x');
}

/**
 * A harmless value that slashes divide in the same way; never an empty one, which would leave only what stands beside
 * it.
 */
function hide({ schema }: Variable, value: string): string {
  return schema?.named.has(value) === true ? withoutMarks(value) : value.replaceAll(/[^/\\]/g, 'x') || 'x';
}

function firstProblem(variable: Variable, values: readonly string[]): string | undefined {
  for (const value of values) {
    const problem = problemOf(variable, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf({ maxChars, slashes, admitted, schema }: Variable, value: string): string | undefined {
  if (value.length > maxChars) return `has ${value.length} characters; it takes at most ${maxChars}`;
  return schema?.named.has(value) === true ? undefined : findDanger(value, slashes, admitted);
}

/** A schema and a template that disagree would refuse every URI, or wait for a value that no URI can bring. */
function assertAgree(about: string, names: readonly string[], jsonSchema: JsonObject): void {
  const { type, properties, additionalProperties, patternProperties, required } = jsonSchema;
  if (type !== 'object')
    throw new TypeError(`${about}: the schema of its variables must have "type": "object" at its root`);
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  const asked = [...known, ...(Array.isArray(required) ? (required as string[]) : [])];
  const foreign = asked.find((name) => !names.includes(name));
  if (foreign !== undefined)
    throw new TypeError(`${about}: its schema has "${foreign}", which is no variable of it; it has: ${listed(names)}`);
  const left = names.find((name) => !known.includes(name));
  if (left !== undefined && additionalProperties === false && patternProperties === undefined)
    throw new TypeError(`${about}: its schema has no place for the variable "${left}"`);
}

function readAdmit(
  about: string,
  names: readonly string[],
  admit: { readonly [variable: string]: readonly Danger[] },
): Map<string, readonly Danger[]> {
  for (const [name, admitted] of Object.entries(admit)) {
    if (!names.includes(name))
      throw new TypeError(`${about}: admit has "${name}", which is no variable of it; it has: ${listed(names)}`);
    const unknown = admitted.find((danger) => !dangers.includes(danger));
    if (unknown !== undefined)
      throw new TypeError(`${about}: admit.${name} may list ${dangers.join(', ')}, not ${JSON.stringify(unknown)}`);
  }
  return new Map(Object.entries(admit));
}

function listed(names: readonly string[]): string {
  return names.join(', ') || 'none';
}
