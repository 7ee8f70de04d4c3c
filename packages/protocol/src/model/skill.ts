import { array, either, integer, jsonObject, object, oneOf, type Shaped, string } from '../shape.ts';

/**
 * A file of a skill: `digest` is `sha256:` and 64 lower-case hexadecimal digits of its bytes, `size` their number.
 * Spec: SEP-2640.
 */
export const skillResource = object({ uri: string, digest: string, size: integer });
/** See {@link skillResource}. */
export type SkillResource = Shaped<typeof skillResource>;

/**
 * A skill as it is listed: the URI of its `SKILL.md`, the frontmatter of that file, and every file, itself among them;
 * or `dynamic` where the files are not known beforehand. Spec: SEP-2640.
 */
export const skill = object({
  uri: string,
  frontmatter: jsonObject,
  resources: either(array(skillResource), oneOf('dynamic')),
});
/** See {@link skill}. */
export type Skill = Shaped<typeof skill>;
