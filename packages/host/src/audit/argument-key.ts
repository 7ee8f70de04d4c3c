import { createHmac } from 'node:crypto';
import { link, open, readFile, stat, unlink } from 'node:fs/promises';
import { HostError } from '../host-error.ts';

const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;
const HEX_KEY = /^[0-9a-f]{64}\n?$/;

/** Answers the HMAC-SHA256 of a text in hex. */
export type ArgumentDigest = (text: string) => string;

/** Makes the digest function of a key. */
export function createArgumentDigest(key: Uint8Array): ArgumentDigest {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

/**
 * Opens the key that stands beside an audit database, in `path`, and makes it where it is missing: 32 random bytes in
 * hex, in a file that only its owner can read (0600). Erasing the file makes the digests that were written under it
 * meaningless.
 *
 * Several processes may do this at once and all get the same key. Rejects with HostError `audit` when the file holds no
 * key, is readable by others, or cannot be read or made.
 */
export async function openArgumentKey(path: string, randomBytes: (size: number) => Uint8Array): Promise<Uint8Array> {
  try {
    return (await readKey(path)) ?? (await makeKey(path, randomBytes));
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw new HostError('audit', `the key of the audit, ${path}, cannot be read or made: ${String(error)}`, {
      cause: error,
    });
  }
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  let text: string;
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new HostError('audit', `the key of the audit, ${path}, can be read by others: change its mode to 0600`);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (!HEX_KEY.test(text)) {
    throw new HostError(
      'audit',
      `the key of the audit, ${path}, holds no key of ${KEY_BYTES} bytes in hex: restore or remove it`,
    );
  }
  return Buffer.from(text.trim(), 'hex');
}

/** Writes the whole key under another name first, so that no other process ever reads half of one. */
async function makeKey(path: string, randomBytes: (size: number) => Uint8Array): Promise<Uint8Array> {
  const key = randomBytes(KEY_BYTES);
  const draft = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`;
  const file = await open(draft, 'wx', OWNER_ONLY);
  try {
    await file.writeFile(`${Buffer.from(key).toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
    return key;
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    return (await readKey(path)) ?? key;
  } finally {
    await unlink(draft);
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
