import {
  assertKnownOptions,
  encodeBase64,
  type KnownOptions,
  type Skill,
  type SkillResource,
} from '@switchyard/protocol';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { listCacheHints } from '../definition/cache-hints.ts';
import { type CompiledResource, compileResource } from '../definition/resource.ts';
import { assertFilePath, assertSkillPath, mimeTypeOf, toUriPath } from './skill-path.ts';
import { assertFrontmatter, type SkillFrontmatter, skillText } from './skill-text.ts';

/** Most files of a skill, and most bytes of them together. Spec: SEP-2640. */
export const MAX_FILES = 512;
export const MAX_BYTES = 16 * 1024 * 1024;

/** The file that says what a skill is. */
export const SKILL_FILE = 'SKILL.md';

/** A skill: instructions that a model reads when it needs them, and the files that they speak of. */
export interface SkillDefinition {
  /** Name and description, and whatever else stands in the head of `SKILL.md`. */
  readonly frontmatter: SkillFrontmatter;
  /** The instructions, in Markdown: `SKILL.md` is made of them and the frontmatter, unless it is among `files`. */
  readonly body?: string;
  /**
   * Where the skill stands on the server, for example `acme/refunds`; the last segment is its name. Default: the name.
   */
  readonly path?: string;
  /**
   * The files by their paths in the skill, as text or bytes: at most 512 of them, and 16 MiB. With `SKILL.md` among
   * them, its head must say what `frontmatter` says.
   */
  readonly files?: { readonly [path: string]: string | Uint8Array };
}

const skillOptions: KnownOptions<SkillDefinition> = { frontmatter: true, body: true, path: true, files: true };

/** A skill ready to be served. */
export interface CompiledSkill {
  readonly listed: Skill;
  /** Its files by URI, `SKILL.md` first. */
  readonly resources: ReadonlyMap<string, CompiledResource>;
}

/**
 * Compiles a skill: its files, under `skill://<path>/…`, with their digests.
 *
 * Spec: SEP-2640 (extension `io.modelcontextprotocol/skills`).
 *
 * @throws TypeError when the name, the description, a path or a size breaks a rule, or the definition has a member that
 *   it does not know; the message names it.
 */
export function compileSkill(definition: SkillDefinition): CompiledSkill {
  assertKnownOptions('skill', definition, skillOptions);
  const frontmatter: unknown = JSON.parse(JSON.stringify(definition.frontmatter ?? null));
  assertFrontmatter(frontmatter);
  const { body, path = frontmatter.name, files = {} } = definition;
  assertSkillPath(path, frontmatter.name);
  const about = `skill ${path}`;
  const given = new Map(Object.entries(files));
  if (given.has(SKILL_FILE) === (body !== undefined))
    throw new TypeError(`${about}: give either the body of ${SKILL_FILE}, or the file itself among the files`);
  const main = given.get(SKILL_FILE) ?? skillText(frontmatter, body ?? '');
  given.delete(SKILL_FILE);
  if (given.size >= MAX_FILES)
    throw new TypeError(`${about}: it has ${given.size + 1} files; at most ${MAX_FILES} are allowed`);
  const listed: SkillResource[] = [];
  const resources = new Map<string, CompiledResource>();
  let total = 0;
  for (const [file, content] of [[SKILL_FILE, main] as const, ...given]) {
    assertFilePath(about, file);
    const uri = `skill://${toUriPath(path)}/${toUriPath(file)}`;
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    total += bytes.length;
    listed.push({ uri, digest: `sha256:${bytesToHex(sha256(bytes))}`, size: bytes.length });
    resources.set(uri, compileFile(uri, file, bytes, file === SKILL_FILE ? frontmatter : undefined));
  }
  if (total > MAX_BYTES)
    throw new TypeError(`${about}: its files have ${total} bytes; at most ${MAX_BYTES} are allowed`);
  const [{ uri }] = listed as [SkillResource];
  const skill: Skill = { uri, frontmatter, resources: listed };
  const entry = resources.get(uri) as CompiledResource;
  resources.set(uri, { ...entry, skill, isListed: true });
  return { listed: skill, resources };
}

function compileFile(
  uri: string,
  file: string,
  bytes: Uint8Array,
  frontmatter: SkillFrontmatter | undefined,
): CompiledResource {
  const text = textOf(bytes);
  const mimeType = mimeTypeOf(file, text !== undefined);
  const contents = text === undefined ? { uri, mimeType, blob: encodeBase64(bytes) } : { uri, mimeType, text };
  const name = frontmatter?.name ?? file.slice(file.lastIndexOf('/') + 1);
  const described = frontmatter === undefined ? {} : { description: frontmatter.description };
  const compiled = compileResource(
    uri,
    { name, ...described, mimeType, size: bytes.length, cache: listCacheHints },
    () => contents,
  );
  return { ...compiled, isListed: false };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Answers the text that has exactly these bytes, or `undefined`. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
