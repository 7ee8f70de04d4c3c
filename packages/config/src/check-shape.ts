import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { configurationSchema } from './configuration-schema.ts';
import { explainServer, suggestTransport } from './explain-server.ts';
import { meantKey, propertiesOf } from './meant-key.ts';
import { nearestName } from './nearest-names.ts';
import { quote, renderPath, renderPlace, shownKey, type KeyPath, type Position } from './problem.ts';
import type { Report } from './report.ts';
import type { Checked, ConfigurationSchema } from './schema-type.ts';
import { nodeAt, positionAt, valueOf, type SourceNode } from './source-node.ts';

/** A configuration that has the declared shape, with defaults filled in; its texts are still as the user wrote them. */
export type ConfigurationShape = Checked<typeof configurationSchema>;

let compiled: ValidateFunction<ConfigurationShape> | undefined;

/** Compiling takes some milliseconds, so it waits for the first configuration. */
function validator(): ValidateFunction<ConfigurationShape> {
  if (compiled === undefined) {
    const ajv = new Ajv({ allErrors: true, verbose: true, useDefaults: true, strictTypes: false });
    ajv.addVocabulary(['patternErrorMessage', 'x-otherNames']);
    compiled = ajv.compile<ConfigurationShape>(configurationSchema);
  }
  return compiled;
}

/**
 * Checks a tree against the configuration's schema and fills in the defaults.
 *
 * Every breach is refused with its place: an unknown key with the nearest valid one, a wrong type with what was
 * expected and what was found, a number with its range. Answers undefined where anything was refused.
 */
export function checkShape(root: SourceNode, report: Report): ConfigurationShape | undefined {
  const validate = validator();
  const value = valueOf(root);
  if (validate(value)) return value;
  for (const error of validate.errors ?? []) wordError(error, root, report);
  return undefined;
}

/** Puts what a keyword of the schema found into words; the schema alone decides what is wrong. */
function wordError(error: ErrorObject, root: SourceNode, report: Report): void {
  const path = pathOf(error.instancePath, root);
  const node = nodeAt(root, path);
  // The branches of oneOf are told by oneOf itself, and the errors of a name by the name.
  if (node === undefined || error.schemaPath.includes('/oneOf/') || error.keyword === 'propertyNames') return;
  const schema = error.parentSchema as ConfigurationSchema;
  const params = error.params as Readonly<Record<string, unknown>>;
  const keyAt = (key: string): Position => positionAt(root, [...path, key]) ?? node.at;
  const refuse = (message: string, suggestion?: string): void =>
    report.refuse(node.at, path, `${renderPath(path)} ${message}`, suggestion);

  if (error.propertyName !== undefined) {
    const key = error.propertyName;
    const message = `the name ${quote(shownKey(key, path))} ${renderPlace(path)} ${ruleOf(error)}`;
    report.refuse(keyAt(key), [...path, key], message, suggestSpace(key, nodeAt(root, [...path, key])));
    return;
  }
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      report.refuse(
        keyAt(key),
        [...path, key],
        `unknown key ${quote(shownKey(key, path))} ${renderPlace(path)}`,
        suggestSpace(key, nodeAt(root, [...path, key])) ?? suggestKey(key, schema, path),
      );
      return;
    }
    case 'type':
      refuse(`must be ${nounOf(schema)}, found ${foundIn(node, schema)}`, suggestType(schema, node, path));
      return;
    case 'enum': {
      const choices = schema.type === 'string' ? (schema.enum ?? []) : [];
      const near =
        node.kind === 'scalar' && typeof node.value === 'string' ? nearestName(node.value, choices) : undefined;
      refuse(
        `must be one of ${choices.join(', ')}; found ${foundIn(node, schema)}`,
        near === undefined ? suggestTransport(node, schema) : `did you mean ${quote(near)}?`,
      );
      return;
    }
    case 'oneOf':
    case 'dependencies':
      if (node.kind !== 'map') return;
      explainServer({ keyword: error.keyword, params, node, at: positionAt(root, path) ?? node.at, path }, report);
      return;
    case 'minimum':
    case 'maximum':
      // A fraction or an infinity is already told to be no whole number.
      if (node.kind === 'scalar' && !Number.isInteger(node.value)) return;
      refuse(`${ruleOf(error)}, found ${foundIn(node, schema)}`);
      return;
    default:
      refuse(ruleOf(error));
  }
}

/** The path that a JSON pointer names; what indexes a list becomes a number. */
function pathOf(pointer: string, root: SourceNode): KeyPath {
  const path: (string | number)[] = [];
  for (const escaped of pointer.split('/').slice(1)) {
    const segment = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(nodeAt(root, path)?.kind === 'list' ? Number(segment) : segment);
  }
  return path;
}

function suggestKey(key: string, schema: ConfigurationSchema, path: KeyPath): string {
  const meant = meantKey(key, schema);
  if (meant !== undefined) return `did you mean ${quote(meant)}?`;
  const valid = `valid keys are ${Object.keys(propertiesOf(schema)).join(', ')}`;
  // Files of desktop programs hold their own settings beside their servers.
  return path.length === 0 ? `remove it (of another program's file only mcpServers is needed); ${valid}` : valid;
}

/** What to do about a key that has swallowed its value. */
function suggestSpace(key: string, value: SourceNode | undefined): string | undefined {
  const isEmpty = value?.kind === 'scalar' && value.value === null;
  return isEmpty && /:\S/.test(key) ? 'write a space after the colon' : undefined;
}

const nouns: Readonly<Record<ConfigurationSchema['type'], string>> = {
  string: 'text',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

function nounOf(schema: ConfigurationSchema): string {
  return schema.type === 'array' && schema.items.type === 'string' ? 'a list of texts' : nouns[schema.type];
}

/** Values are shown where the schema wants a choice or a number; anywhere else they may be secrets. */
function foundIn(node: SourceNode, schema: ConfigurationSchema): string {
  if (node.kind !== 'scalar') return node.kind === 'list' ? 'a list' : 'a map';
  const { value } = node;
  if (value === null) return 'nothing';
  if (typeof value === 'string') return schema.type === 'string' && schema.enum !== undefined ? quote(value) : 'text';
  if (typeof value === 'number') return schema.type === 'integer' ? String(value) : 'a number';
  return String(value);
}

function suggestType(schema: ConfigurationSchema, node: SourceNode, path: KeyPath): string | undefined {
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (value === null) return suggestSpace(String(path.at(-1)), node) ?? 'give it a value or remove the key';
  // The number itself cannot be repeated: 007 was read as 7.
  if (schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return 'put it in quotes';
  if (schema.type === 'array' && typeof value === 'string') return 'write a list, also of one: ["…"]';
  if (schema.type === 'integer' && typeof value === 'string') {
    return /^[0-9]+$/.test(value) ? 'write it without quotes' : 'write a number; variables are not replaced here';
  }
  return undefined;
}

/** The rule that a bound or a pattern states. */
function ruleOf({ keyword, parentSchema, params }: ErrorObject): string {
  const schema = parentSchema as { minimum?: number; maximum?: number; patternErrorMessage?: string };
  const { limit } = params as { limit?: number };
  switch (keyword) {
    case 'minimum':
    case 'maximum':
      return `must be between ${schema.minimum} and ${schema.maximum}`;
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'maxItems':
    case 'maxProperties':
      return `must not hold more than ${limit} entries`;
    default:
      return schema.patternErrorMessage ?? `breaks the rule ${keyword}`;
  }
}
