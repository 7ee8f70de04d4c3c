import { open, opendir, realpath } from 'node:fs/promises';
import { constants } from 'node:fs';
import { basename, join } from 'node:path';

import { parseDocument } from 'yaml';

import { MAX_BYTES, MAX_FILES, SKILL_FILE, type SkillDefinition } from '../skills/skill.ts';
import { assertFrontmatter, MAX_FRONTMATTER_CHARS, type SkillFrontmatter } from '../skills/skill-text.ts';

/** Options of {@link readSkills}. */
export interface ReadSkillsOptions {
  /** Where the skills stand on the server, for example `acme`. Default: nowhere but under their names. */
  readonly prefix?: string;
}

/** Most skills of a folder, and most bytes of all together. */
const MAX_SKILLS = 1_000;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** Most levels of folders in a skill. */
const MAX_DEPTH = 16;

/**
 * Reads the skills in a folder, each a folder with a `SKILL.md`, for `server.skill`. The folder may be one skill itself. Files whose names
 * begin with a dot are left out. What is read stays in memory, so that it is what its digests say: at most 1,000 skills with 256 MiB
 * together, and 512 files and 16 MiB each.
 *
 * Spec: SEP-2640, the Agent Skills specification.
 *
 * @throws TypeError when a skill breaks a rule: no frontmatter, a name that is not its folder's, a symbolic link, too many files; what the
 *   system says when the folder cannot be read.
 */
export async function readSkills(
  folder: string,
  { prefix }: ReadSkillsOptions = {},
): Promise<readonly SkillDefinition[]> {
  const root = await realpath(folder);
  const entries = await entriesOf(root);
  if (entries.some(({ name }) => name === SKILL_FILE)) return [await readSkill(root, prefix)];
  const folders = entries.filter((entry) => entry.isDirectory());
  if (folders.length > MAX_SKILLS)
    throw new TypeError(`${folder} has ${folders.length} skills; at most ${MAX_SKILLS} are read`);
  const skills: SkillDefinition[] = [];
  let total = 0;
  for (const { name } of folders) {
    const skill = await readSkill(join(root, name), prefix);
    for (const content of Object.values(skill.files ?? {})) total += content.length;
    if (total > MAX_TOTAL_BYTES)
      throw new TypeError(
        `${folder}: its skills have more than ${MAX_TOTAL_BYTES} bytes together; read folders of fewer skills`,
      );
    skills.push(skill);
  }
  return skills;
}

async function readSkill(root: string, prefix: string | undefined): Promise<SkillDefinition> {
  const files = new Map<string, Uint8Array>();
  const count = { files: 0, bytes: 0 };
  await readFolder(root, '', files, count, 0);
  const main = files.get(SKILL_FILE);
  if (main === undefined) throw new TypeError(`${root} is no skill: it has no ${SKILL_FILE}`);
  const frontmatter = readFrontmatter(join(root, SKILL_FILE), main);
  if (frontmatter.name !== basename(root))
    throw new TypeError(
      `${root}: the name in ${SKILL_FILE} is ${JSON.stringify(frontmatter.name)}; it must be that of the folder`,
    );
  return {
    frontmatter,
    files: Object.fromEntries(files),
    ...(prefix === undefined ? {} : { path: `${prefix}/${frontmatter.name}` }),
  };
}

async function readFolder(
  root: string,
  path: string,
  files: Map<string, Uint8Array>,
  count: { files: number; bytes: number },
  depth: number,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new TypeError(`${join(root, path)}: a skill has at most ${MAX_DEPTH} levels of folders`);
  for (const entry of await entriesOf(join(root, path))) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) {
      await readFolder(root, inner, files, count, depth + 1);
      continue;
    }
    if (!entry.isFile())
      throw new TypeError(
        `${join(root, inner)} is neither a file nor a folder; a skill holds nothing else, and no links`,
      );
    count.files += 1;
    if (count.files > MAX_FILES) throw new TypeError(`${root}: a skill has at most ${MAX_FILES} files`);
    const bytes = await readBounded(join(root, inner), MAX_BYTES - count.bytes);
    if (bytes === undefined)
      throw new TypeError(`${root}: the files of a skill have at most ${MAX_BYTES} bytes together`);
    count.bytes += bytes.length;
    files.set(inner, bytes);
  }
}

async function entriesOf(folder: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(folder)) if (!entry.name.startsWith('.')) entries.push(entry);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Entry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** Reads a file unless it is larger; what became a link in between is not followed. */
async function readBounded(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = await file.stat();
    if (size > maxBytes) return undefined;
    const bytes = await file.readFile();
    return bytes.length > maxBytes ? undefined : new Uint8Array(bytes);
  } finally {
    await file.close();
  }
}

const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

function readFrontmatter(path: string, bytes: Uint8Array): SkillFrontmatter {
  const head = HEAD.exec(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))?.[1];
  if (head === undefined) throw new TypeError(`${path} must begin with frontmatter: YAML between two lines of ---`);
  if (head.length > MAX_FRONTMATTER_CHARS)
    throw new TypeError(`${path}: the frontmatter has more than ${MAX_FRONTMATTER_CHARS} characters`);
  const document = parseDocument(head, { schema: 'core', uniqueKeys: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw new TypeError(`${path}: the frontmatter is no YAML: ${problem.message}`);
  try {
    const frontmatter: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 })));
    assertFrontmatter(frontmatter);
    return frontmatter;
  } catch (error) {
    throw new TypeError(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
