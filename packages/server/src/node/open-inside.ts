import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';

/** A regular file, open for reading, as it was when it was opened. */
export interface OpenedFile {
  readonly file: FileHandle;
  readonly stats: BigIntStats;
}

// Without O_NONBLOCK, opening a pipe waits for somebody to write. Windows has neither flag, nor such pipes.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** What the system says where nothing is that could be read. */
const ABSENT: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ENAMETOOLONG',
  'ELOOP',
  'EISDIR',
  'ENXIO',
  'EINVAL',
]);

/**
 * Opens a regular file in a folder; `undefined` where there is none, or it is not really in there. Links are followed
 * before it is opened, and once it is open, where it stands is asked again, since a folder may have become a link in
 * between. On Linux the system says that of the open file itself. Elsewhere the place that the links lead to by then
 * must hold the same file, which somebody who may write in `root` can get around with luck.
 *
 * @throws what the system says when it is not about a file that is absent, and whenever `root` cannot be resolved.
 */
export async function openInside(root: string, path: string): Promise<OpenedFile | undefined> {
  const folder = await realpath(root);
  const wanted = resolve(root, path);
  if (path.includes('\0') || !(isInside(resolve(root), wanted) || isInside(folder, wanted))) return undefined;
  try {
    const place = await realpath(wanted);
    // Opening a device can have effects of its own, so it is not left to the open file to say what it is.
    if (!isInside(folder, place) || !(await stat(place)).isFile()) return undefined;
    return await whenInside(await open(place, FLAGS), folder, wanted);
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

async function whenInside(file: FileHandle, folder: string, wanted: string): Promise<OpenedFile | undefined> {
  let opened: OpenedFile | undefined;
  try {
    const stats = await file.stat({ bigint: true });
    const place = (await placeOf(file)) ?? (await placeOfSame(stats, wanted));
    if (stats.isFile() && place !== undefined && isInside(folder, place)) opened = { file, stats };
  } finally {
    if (opened === undefined) await file.close();
  }
  return opened;
}

/** Where an open file stands, as far as the system says. */
async function placeOf(file: FileHandle): Promise<string | undefined> {
  try {
    return await readlink(`/proc/self/fd/${file.fd}`);
  } catch {
    return undefined;
  }
}

async function placeOfSame(opened: BigIntStats, wanted: string): Promise<string | undefined> {
  const place = await realpath(wanted);
  const standing = await stat(place, { bigint: true });
  return opened.dev === standing.dev && opened.ino === standing.ino ? place : undefined;
}

function isInside(folder: string, place: string): boolean {
  return place.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
