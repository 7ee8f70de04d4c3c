import { assertKnownOptions, type KnownOptions } from '@switchyard/protocol';

/** How a client reads skills. */
export interface SkillsOptions {
  /**
   * Answers the value of a YAML document; it may throw. Give `parse` of the package `yaml` for heads of any form.
   * Default: heads whose fields are scalars on one line, maps and lists of them, and JSON; a skill with another head is
   * refused.
   */
  readonly parseYaml?: (text: string) => unknown;
  /**
   * Loads skills without a list of their files, which cannot be verified: only the head is compared. Default: such are
   * refused.
   */
  readonly allowsDynamic?: boolean;
}

const skillsOptions: KnownOptions<SkillsOptions> = { parseYaml: true, allowsDynamic: true };

/** Reads the options. Throws a `TypeError` for those that there are not. */
export function readSkillsOptions(options: SkillsOptions = {}): SkillsOptions {
  assertKnownOptions('connect, skills', options, skillsOptions);
  return options;
}
