import { clip } from '@switchyard/protocol';

const SEGMENT = /^[A-Za-z0-9._~-]{1,128}$/;
const MAX_PATH_CHARS = 512;

/**
 * Refuses where a skill stands on its server: segments of `A-Z a-z 0-9 . _ ~ -`, the last of which is the skill's name.
 *
 * @throws TypeError
 */
export function assertSkillPath(path: string, name: string): void {
  const segments = path.split('/');
  const about = `skill ${clip(path, 200)}`;
  if (path.length > MAX_PATH_CHARS || !segments.every((segment) => SEGMENT.test(segment) && !isDots(segment)))
    throw new TypeError(`${about}: the path must be segments of A-Z a-z 0-9 . _ ~ - with / between them`);
  if (segments.at(-1) !== name)
    throw new TypeError(`${about}: the last segment of the path must be the skill's name, ${JSON.stringify(name)}`);
}

/**
 * Refuses the path of a file in a skill that would lead out of it, or that a URI cannot name.
 *
 * @throws TypeError
 */
export function assertFilePath(about: string, path: string): void {
  const isGood =
    path.length <= MAX_PATH_CHARS &&
    path.isWellFormed() &&
    !/[\\\p{Cc}]/u.test(path) &&
    path.split('/').every((segment) => segment !== '' && !isDots(segment));
  if (!isGood)
    throw new TypeError(
      `${about}: ${JSON.stringify(clip(path, 200))} is no path of a file in a skill, for example references/forms.md`,
    );
}

function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

/** A path as a URI has it. */
export function toUriPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

const mimeTypes: { readonly [extension: string]: string } = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  py: 'text/x-python',
  sh: 'application/x-sh',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

/** The MIME type of a file by the end of its name, else by what it holds. */
export function mimeTypeOf(path: string, isText: boolean): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension] : undefined;
  return known ?? (isText ? 'text/plain' : 'application/octet-stream');
}
