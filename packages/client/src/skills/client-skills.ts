import type { JsonObject, Skill, SkillResource } from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import type { Caller } from '../call/caller.ts';
import { listAll } from '../call/list-all.ts';
import { withUsableEntries } from '../icons/usable-icons.ts';
import { createListKind } from '../call/list-kinds.ts';
import type { Listed } from '../call/listed.ts';
import { excerpt, quoted } from '../peer/excerpt.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import { isFileOf, whyNoSkill } from './skill-entry.ts';
import { readSkillFile, type SkillFile } from './skill-file.ts';
import { differingField, readSkillText, type SkillText } from './skill-head.ts';
import type { SkillsOptions } from './skills-options.ts';

/** `skills/list`. A skill that could not be loaded is left out. */
const skillList = createListKind('skills/list', whyNoSkill);

/** A skill whose `SKILL.md` was read and is what was listed. Its other files are not read yet. */
export interface LoadedSkill {
  /** The entry that it was compared with. */
  readonly skill: Skill;
  readonly frontmatter: JsonObject;
  /** The instructions. They are text of the server: show a user whose they are before a model follows them. */
  readonly body: string;
  /** The files that it has, `SKILL.md` among them; none for a skill without a list. */
  readonly files: readonly SkillResource[];
  /**
   * Reads one of its files when it is needed, and verifies it. Rejects with `invalid-argument` for a URI that is not
   * listed, and with `result-rejected` for content that is not what was listed.
   */
  readFile(uri: string, options?: CallOptions): Promise<SkillFile>;
}

/** The skills of one client. */
export interface ClientSkills {
  /** As `Client.listSkills`. */
  list(options: CallOptions | undefined): Promise<Listed & { readonly skills: readonly Skill[] }>;
  /** As `Client.getSkill`. */
  get(uri: string, options: CallOptions | undefined): Promise<Skill>;
  /** As `Client.loadSkill`. */
  load(skill: Skill, options: CallOptions | undefined): Promise<LoadedSkill>;
}

/**
 * Creates the skills of a client. One is loaded by the entry that was listed and approved: everything that is read is
 * compared with it before it is given out, and nothing is read before it is asked for.
 *
 * Spec: SEP-2640, lazy retrieval, integrity and verification.
 */
export function createClientSkills(
  caller: Caller,
  checks: Pick<ResultChecks, 'resource'>,
  { parseYaml, allowsDynamic = false }: SkillsOptions,
): ClientSkills {
  const { context } = caller;
  return {
    list: (options) =>
      caller.run('skills/list', options, async (call) => {
        const { entries, ...listed } = await listAll(context, call, skillList);
        return { skills: withUsableEntries(context, entries, ({ uri }) => uri), ...listed };
      }),
    async get(uri, options) {
      const { skill } = await caller.run('skills/get', options, (call) => call.request('skills/get', { uri }));
      const problem = skill.uri === uri ? whyNoSkill(skill) : 'Another one was answered.';
      if (problem !== undefined) throw refuse(uri, problem);
      return skill;
    },
    load,
  };

  async function load(skill: Skill, options: CallOptions | undefined): Promise<LoadedSkill> {
    const { uri, resources } = skill;
    const problem = whyNoSkill(skill);
    if (problem !== undefined) throw refuse(uri, problem);
    if (resources === 'dynamic' && !allowsDynamic) {
      throw refuse(uri, 'It has no list of its files, so nothing of it can be verified; see skills.allowsDynamic.');
    }
    const files = resources === 'dynamic' ? [] : resources;
    const { text } = await readFile(uri, options);
    if (text === undefined) throw refuse(uri, 'Its SKILL.md is no text.');
    const { frontmatter, body } = readHead(uri, text);
    const field = differingField(skill.frontmatter, frontmatter);
    if (field !== undefined) throw refuse(uri, `Its SKILL.md and its entry differ in ${quoted(field)}.`);
    return { skill, frontmatter, body, files, readFile };

    async function readFile(fileUri: string, fileOptions?: CallOptions): Promise<SkillFile> {
      const promised = files.find((file) => file.uri === fileUri);
      const mayBe = resources === 'dynamic' ? isFileOf(uri, fileUri) : promised !== undefined;
      if (!mayBe) {
        throw context.fail('invalid-argument', `${quoted(fileUri)} is no file of the skill ${quoted(uri)}.`);
      }
      const result = await caller.run('resources/read', fileOptions, async (call) =>
        checks.resource(fileUri, await call.request('resources/read', { uri: fileUri })),
      );
      return readSkillFile(context, result, fileUri, promised);
    }
  }

  function readHead(uri: string, text: string): SkillText {
    try {
      return readSkillText(text, parseYaml);
    } catch (error) {
      const problem = error instanceof Error ? excerpt(error.message) : 'its head cannot be read';
      throw refuse(uri, `Its SKILL.md cannot be read: ${problem}. skills.parseYaml reads heads of any form.`);
    }
  }

  function refuse(uri: string, problem: string): Error {
    return context.fail('result-rejected', `the skill ${quoted(uri)} is refused. ${problem}`);
  }
}
