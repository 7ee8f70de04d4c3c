import { assertKnownOptions } from '@switchyard/protocol';

import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { parseDocument } from 'yaml';

import { MAX_BYTES, MAX_FILES, SKILL_FILE, type SkillDefinition } from '../skills/skill.ts';
import { assertFrontmatter, MAX_FRONTMATTER_CHARS, type SkillFrontmatter } from '../skills/skill-text.ts';
import { openInside } from './open-inside.ts';

/** Options of {@link readSkills}. */
export interface ReadSkillsOptions {
  /** Where the skills stand on the server, for example `acme`. Default: nowhere but under their names. */
  readonly prefix?: string;
}

/** Most skills of a folder, and most bytes of all together. */
const MAX_SKILLS = 1_000;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** Most entries of the folder of skills: what is no skill is left out, and looked at all the same. */
const MAX_ENTRIES = 10_000;
/** Most levels of folders in a skill, and most folders. */
const MAX_DEPTH = 16;
const MAX_FOLDERS = 512;

/**
 * Reads the skills in a folder, each a folder with a `SKILL.md`, for `server.skill`. The folder may be one skill
 * itself. Files whose names begin with a dot are left out. What is read stays in memory, so that it is what its digests
 * say: at most 1,000 skills with 256 MiB together, and 512 files, 512 folders and 16 MiB each.
 *
 * Spec: SEP-2640, the Agent Skills specification.
 *
 * @throws TypeError when a skill breaks a rule: no frontmatter, a name that is not its folder's, a symbolic link, too
 *   many files; what the system says when the folder cannot be read.
 */
export async function readSkills(folder: string, options: ReadSkillsOptions = {}): Promise<readonly SkillDefinition[]> {
  assertKnownOptions('readSkills', options, { prefix: true });
  const { prefix } = options;
  const root = await realpath(folder);
  const entries = await entriesOf(root, MAX_ENTRIES);
  if (entries.some(({ name }) => name === SKILL_FILE)) return [await readSkill(root, prefix)];
  await assertNoLinkedFolder(root, entries);
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
  const count = { files: 0, folders: 0, bytes: 0 };
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
  count: { files: number; folders: number; bytes: number },
  depth: number,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new TypeError(`${join(root, path)}: a skill has at most ${MAX_DEPTH} levels of folders`);
  for (const entry of await entriesOf(join(root, path), MAX_FILES + MAX_FOLDERS)) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) {
      count.folders += 1;
      if (count.folders > MAX_FOLDERS) throw new TypeError(`${root}: a skill has at most ${MAX_FOLDERS} folders`);
      await readFolder(root, inner, files, count, depth + 1);
      continue;
    }
    count.files += 1;
    if (count.files > MAX_FILES) throw new TypeError(`${root}: a skill has at most ${MAX_FILES} files`);
    const bytes = entry.isFile() ? await readBounded(root, inner, MAX_BYTES - count.bytes) : undefined;
    if (bytes === undefined)
      throw new TypeError(
        `${join(root, inner)} is neither a file nor a folder; a skill holds nothing else, and no links`,
      );
    if (bytes.length > MAX_BYTES - count.bytes)
      throw new TypeError(`${root}: the files of a skill have at most ${MAX_BYTES} bytes together`);
    count.bytes += bytes.length;
    files.set(inner, bytes);
  }
}

async function entriesOf(folder: string, most: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(folder)) {
    if (entry.name.startsWith('.')) continue;
    entries.push(entry);
    if (entries.length > most) throw new TypeError(`${folder} has more than ${most} entries; at most so many are read`);
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What is meant as a skill and would be left out, since links are not followed, is said. */
async function assertNoLinkedFolder(root: string, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(root, entry.name);
    // A link that leads nowhere names no skill.
    const led = await stat(path).catch(() => undefined);
    if (led?.isDirectory() === true)
      throw new TypeError(`${path} is a link to a folder; links are not followed: read that folder by itself`);
  }
}

interface Entry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Reads a file, of a larger one a byte more than `maxBytes`; `undefined` for what is no file of the folder by now. */
async function readBounded(root: string, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const opened = await openInside(root, path);
  if (opened === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  // Closes the file.
  for await (const chunk of opened.file.createReadStream({ end: maxBytes })) chunks.push(chunk as Uint8Array);
  return new Uint8Array(Buffer.concat(chunks));
}

const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

function readFrontmatter(path: string, bytes: Uint8Array): SkillFrontmatter {
  const head = HEAD.exec(toText(path, bytes))?.[1];
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

function toText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TypeError(`${path} is no UTF-8`);
  }
}
