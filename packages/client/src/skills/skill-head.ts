import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { readPlainYaml } from './plain-yaml.ts';

/** The longest head, in UTF-16 units: reading YAML takes its time. */
const MAX_HEAD_CHARS = 64 * 1024;

/** A `SKILL.md` in its two parts. */
export interface SkillText {
  readonly frontmatter: JsonObject;
  /** The instructions, after the head. */
  readonly body: string;
}

/**
 * Reads a `SKILL.md`: the YAML between two lines `---`, and what comes after. Lines may end with LF or CRLF.
 *
 * Spec: the Agent Skills specification.
 *
 * @throws SyntaxError when there is no head, or it is too long or no map, and whatever `parseYaml` throws.
 */
export function readSkillText(text: string, parseYaml: (text: string) => unknown = readPlainYaml): SkillText {
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0];
  if (opening === undefined) throw new SyntaxError('it does not begin with a head between two lines ---');
  const within = text.slice(opening.length, opening.length + MAX_HEAD_CHARS);
  const closing = /(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(within);
  if (closing === null) throw new SyntaxError(`its head does not end within ${MAX_HEAD_CHARS} characters`);
  const frontmatter = parseYaml(within.slice(0, closing.index));
  if (!isJsonObject(frontmatter)) throw new SyntaxError('its head is no map');
  return { frontmatter, body: text.slice(opening.length + closing.index + closing[0].length) };
}

/** Answers the first field in which two heads differ, whatever the order of their members; `undefined` for none. */
export function differingField(one: JsonObject, other: JsonObject): string | undefined {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].find(
    (name) => !Object.hasOwn(one, name) || !Object.hasOwn(other, name) || !isSame(one[name], other[name]),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one === 'number' || typeof other === 'number') return one === other;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  return isJsonObject(one) && isJsonObject(other) && differingField(one, other) === undefined;
}
