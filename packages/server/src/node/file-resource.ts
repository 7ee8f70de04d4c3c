import { assertKnownOptions } from '@switchyard/protocol';

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

import type { ResourceSource } from '../definition/resource-source.ts';
import { openInside } from './open-inside.ts';

/** Options of {@link fileResource}. */
export interface FileResourceOptions {
  /** The folder that the file must be in, whatever links lead there; it must exist. */
  readonly root: string;
  /** The MIME type; absent: that of the definition. */
  readonly mimeType?: string;
}

/**
 * Opens a file for a resource handler to return. `path` is relative to `root`, or absolute and inside of it. Answers
 * `undefined`, which stands for "no such resource", for everything in `root` that is no regular file (nothing, a
 * folder, a device, a pipe, a socket) and for all that is outside of it, also through a symbolic link, and on Linux
 * through one that appears in between. The error that the caller then gets says nothing of the path.
 *
 * The server reads what it needs and closes the file; what was read is empty from then on. Its `version` is made of
 * identity, size and time of change, so that a file that was changed, cut or replaced between two segments is noticed.
 *
 * Spec: server/resources#security-considerations (2026-07-28): `file://` and directory traversal.
 *
 * @throws what the system says (EACCES, EMFILE), and ENOENT where `root` does not exist; the caller gets -32603 with a
 *   reference.
 */
export async function fileResource(path: string, options: FileResourceOptions): Promise<ResourceSource | undefined> {
  assertKnownOptions('fileResource', options, { root: true, mimeType: true });
  const opened = await openInside(options.root, path);
  return opened === undefined ? undefined : sourceOf(opened.file, opened.stats, options.mimeType);
}

/**
 * Answers the source of a file that is open already, which the server closes. What it is and where is the author's to
 * know.
 *
 * @throws TypeError when it is no regular file; it is closed then.
 */
export async function fileHandleResource(
  file: FileHandle,
  options: Pick<FileResourceOptions, 'mimeType'> = {},
): Promise<ResourceSource> {
  assertKnownOptions('fileHandleResource', options, { mimeType: true });
  const stats = await file.stat({ bigint: true });
  if (stats.isFile()) return sourceOf(file, stats, options.mimeType);
  await file.close();
  throw new TypeError('the file of a resource must be a regular file');
}

function sourceOf(file: FileHandle, stats: BigIntStats, mimeType: string | undefined): ResourceSource {
  const read: ArrayBuffer[] = [];
  return {
    size: Number(stats.size),
    ...(mimeType === undefined ? {} : { mimeType }),
    version: [stats.ino, stats.size, stats.mtimeNs].map((part) => part.toString(36)).join('-'),
    lastModified: stats.mtime.toISOString(),
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      read.push(bytes.buffer);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    },
    async close() {
      await file.close();
      // Gives the memory back at once: left to the collector, a large file fills tens of MiB before it is looked at.
      for (const buffer of read) buffer.transfer(0);
    },
  };
}
