import type { Skill, SkillResource } from '@switchyard/protocol';

/** Most files of a skill, and most bytes of them together. Spec: SEP-2640. */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 1024 * 1024;
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * Answers in one sentence why a listed skill cannot be loaded, or `undefined`: its URI has to be plain, of any scheme but
 * `file:`, and to end in `<name>/SKILL.md` with the name of its frontmatter, up to 64 letters, digits, dots, dashes and
 * underscores; and its files, itself among them, each once, have to lie in that folder and to have a SHA-256 digest and a
 * size; at most 512 files and 16 MiB.
 *
 * Spec: SEP-2640.
 */
export function whyNoSkill({ uri, frontmatter, resources }: Skill): string | undefined {
  const [file, folder] = uri.split('/').reverse();
  if (file !== 'SKILL.md') return 'Its URI does not end in SKILL.md.';
  if (folder === undefined || !NAME.test(folder)) return 'Its folder is no name of a skill.';
  if (!isPlainUri(uri)) return 'Its URI is none that can be trusted to lead there.';
  if (folder !== frontmatter['name']) return 'The folder of its SKILL.md is not called as it is.';
  return resources === 'dynamic' ? undefined : whyNoFiles(uri, resources);
}

function whyNoFiles(uri: string, resources: readonly SkillResource[]): string | undefined {
  if (resources.length > MAX_FILES) return `It lists ${resources.length} files; at most ${MAX_FILES} are allowed.`;
  const uris = new Set(resources.map((resource) => resource.uri));
  if (uris.size !== resources.length) return 'It lists a file twice.';
  if (!uris.has(uri)) return 'It does not list its own SKILL.md.';
  let bytes = 0;
  for (const { uri: file, digest, size } of resources) {
    if (!isFileOf(uri, file)) return 'It lists a file outside of its folder.';
    if (!DIGEST.test(digest))
      return 'It lists a file whose digest is no sha256: with 64 lower-case hexadecimal digits.';
    if (!Number.isSafeInteger(size) || size < 0) return 'It lists a file whose size is no number of bytes.';
    bytes += size;
  }
  return bytes > MAX_BYTES ? `Its files have ${bytes} bytes; at most ${MAX_BYTES} are allowed.` : undefined;
}

/** Answers whether a URI lies in the folder of a skill, which `uri` is the `SKILL.md` of. */
export function isFileOf(uri: string, file: string): boolean {
  return file.startsWith(uri.slice(0, uri.lastIndexOf('/') + 1)) && isPlainUri(file);
}

/** Whether a URI means what it looks like: with a path of named segments, whatever encodings somebody undoes. */
function isPlainUri(uri: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^?#\\\p{C}\p{Z}]+$/iu.test(uri) || /^file:/i.test(uri)) return false;
  const path = uri.slice(uri.indexOf('://') + '://'.length);
  return path.split('/').every((segment) => {
    const decoded = segment.replace(/%(?:25)*2e/gi, '.');
    return (
      decoded !== '' &&
      decoded !== '.' &&
      decoded !== '..' &&
      !/%(?:25)*(?:2f|5c|0[0-9a-f]|1[0-9a-f]|7f)/i.test(segment)
    );
  });
}
