import type { Skill, SkillResource } from '@switchyard/protocol';

/** Most files of a skill, and most bytes of them together. Spec: SEP-2640. */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 1024 * 1024;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * Answers in one sentence why a listed skill cannot be loaded, or `undefined`: its URI has to end in `<name>/SKILL.md`
 * with the name of its frontmatter, and its files, itself among them, each once, have to have a SHA-256 digest and a
 * size; at most 512 files and 16 MiB.
 *
 * Spec: SEP-2640.
 */
export function whyNoSkill({ uri, frontmatter, resources }: Skill): string | undefined {
  const [file, folder] = uri.split('/').reverse();
  if (file !== 'SKILL.md') return 'Its URI does not end in SKILL.md.';
  if (folder === '' || folder !== frontmatter['name']) return 'The folder of its SKILL.md is not called as it is.';
  return resources === 'dynamic' ? undefined : whyNoFiles(uri, resources);
}

function whyNoFiles(uri: string, resources: readonly SkillResource[]): string | undefined {
  if (resources.length > MAX_FILES) return `It lists ${resources.length} files; at most ${MAX_FILES} are allowed.`;
  const uris = new Set(resources.map((resource) => resource.uri));
  if (uris.size !== resources.length) return 'It lists a file twice.';
  if (!uris.has(uri)) return 'It does not list its own SKILL.md.';
  let bytes = 0;
  for (const { digest, size } of resources) {
    if (!DIGEST.test(digest))
      return 'It lists a file whose digest is no sha256: with 64 lower-case hexadecimal digits.';
    if (!Number.isSafeInteger(size) || size < 0) return 'It lists a file whose size is no number of bytes.';
    bytes += size;
  }
  return bytes > MAX_BYTES ? `Its files have ${bytes} bytes; at most ${MAX_BYTES} are allowed.` : undefined;
}
