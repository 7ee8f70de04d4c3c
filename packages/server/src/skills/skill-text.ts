import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/** The head of a `SKILL.md`. Spec: the Agent Skills specification. */
export interface SkillFrontmatter extends JsonObject {
  /** 1 to 64 lower-case letters, digits and hyphens; no hyphen at an end, and no two in a row. */
  readonly name: string;
  /** What the skill does, and when to use it: 1 to 1,024 characters. */
  readonly description: string;
}

const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const MAX_DESCRIPTION_CHARS = 1_024;
const RESERVED = 'io.modelcontextprotocol/';
/** Longest head as JSON: lists of skills repeat it, and reading YAML takes its time. */
export const MAX_FRONTMATTER_CHARS = 64 * 1024;

/** @throws TypeError when the head of a skill breaks a rule. */
export function assertFrontmatter(frontmatter: unknown): asserts frontmatter is SkillFrontmatter {
  if (!isJsonObject(frontmatter)) throw new TypeError('a skill needs a frontmatter with a name and a description');
  const { name, description, metadata } = frontmatter;
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(
      `the name of a skill must be 1 to 64 lower-case letters, digits and single hyphens, not ${JSON.stringify(name)?.slice(0, 80)}`,
    );
  if (typeof description !== 'string' || description.length === 0 || description.length > MAX_DESCRIPTION_CHARS)
    throw new TypeError(`skill ${name}: the description must be a text of 1 to ${MAX_DESCRIPTION_CHARS} characters`);
  const chars = JSON.stringify(frontmatter).length;
  if (chars > MAX_FRONTMATTER_CHARS)
    throw new TypeError(
      `skill ${name}: the frontmatter has ${chars} characters as JSON; at most ${MAX_FRONTMATTER_CHARS} are allowed`,
    );
  const reserved = Object.keys(isJsonObject(metadata) ? metadata : {}).find((key) => key.startsWith(RESERVED));
  if (reserved !== undefined)
    throw new TypeError(`skill ${name}: the metadata key ${JSON.stringify(reserved)} belongs to the protocol`);
}

/** Writes a `SKILL.md`; JSON on each line of its head, which is YAML as well. */
export function skillText(frontmatter: SkillFrontmatter, body: string): string {
  const head = Object.entries(frontmatter).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `---\n${head.join('\n')}\n---\n\n${body}\n`;
}
