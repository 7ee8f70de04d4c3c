import { randomBytes, scrypt } from 'node:crypto';
import { join } from 'node:path';
import { createSeal, KEY_BYTES, type Seal, wrongKey } from '../authorization/seal.ts';
import { TokenStoreError } from '../authorization/token-store-error.ts';
import { readPrivateFile, writePrivateFile } from './private-files.ts';

/**
 * What encrypts a store: 32 bytes, a function that answers them, such as one that asks the keyring of the system, or a
 * passphrase of at least 8 characters, from which scrypt makes them (N 2^17, r 8, p 1: 128 MiB and about half a second,
 * once).
 */
export type StoreKey = Uint8Array | (() => Uint8Array | Promise<Uint8Array>) | { readonly passphrase: string };

/** What a folder says of its key. */
interface Header {
  readonly keyId: string;
  readonly salt: string;
}

const HEADER_FILE = 'store.json';
const KEY_FILE = 'key';
const SALT_BYTES = 16;
const SHORTEST_PASSPHRASE = 8;
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/**
 * Answers the seal of a folder. The first who opens it writes which key it has, and in the absence of one makes a
 * random one, `key`; nobody else may be opening it. Rejects with `wrong-key` where the folder has another key, and
 * changes nothing then.
 */
export async function openSeal(folder: string, key: StoreKey | undefined): Promise<Seal> {
  const path = join(folder, HEADER_FILE);
  const text = await readPrivateFile(path);
  const header = text === undefined ? undefined : readHeader(folder, path, text);
  const salt = header?.salt ?? randomBytes(SALT_BYTES).toString('base64url');
  const seal = await createSeal(await findKey(folder, key, salt, header === undefined));
  if (header === undefined) {
    const written: Header = { keyId: seal.keyId, salt };
    await writePrivateFile(path, `${JSON.stringify(written)}\n`);
  } else if (header.keyId !== seal.keyId) {
    throw new TokenStoreError('wrong-key', `${wrongKey().message} ${whatIsLost(folder)}`);
  }
  return seal;
}

async function findKey(folder: string, key: StoreKey | undefined, salt: string, isNew: boolean): Promise<Uint8Array> {
  if (key === undefined) return keyOfFolder(folder, isNew);
  if (key instanceof Uint8Array) return key;
  if (typeof key === 'function') return key();
  const { passphrase } = key;
  if (typeof passphrase !== 'string' || passphrase.length < SHORTEST_PASSPHRASE)
    throw new TokenStoreError('invalid-argument', `A passphrase must have ${SHORTEST_PASSPHRASE} characters or more.`);
  return derive(passphrase, salt);
}

async function keyOfFolder(folder: string, isNew: boolean): Promise<Uint8Array> {
  const path = join(folder, KEY_FILE);
  const text = await readPrivateFile(path);
  const found = text === undefined ? undefined : Buffer.from(text, 'base64url');
  if (found?.length === KEY_BYTES) return found;
  // A new key in place of a lost one would turn every stored token into noise.
  if (!isNew || text !== undefined)
    throw new TokenStoreError(
      'wrong-key',
      `The key of the stored tokens is not in ${path}. Put it back, or give the key or passphrase that they were ` +
        `stored with; nothing was changed. ${whatIsLost(folder)}`,
    );
  const made = randomBytes(KEY_BYTES);
  await writePrivateFile(path, `${made.toString('base64url')}\n`);
  return made;
}

function derive(passphrase: string, salt: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, COST, (error, key) => {
      if (error === null) resolve(key);
      else reject(new TokenStoreError('unavailable', 'No key could be made of the passphrase.', { cause: error }));
    });
  });
}

function readHeader(folder: string, path: string, text: string): Header {
  try {
    const { keyId, salt } = JSON.parse(text) as { readonly [name: string]: unknown };
    if (typeof keyId === 'string' && typeof salt === 'string') return { keyId, salt };
  } catch {
    // As below.
  }
  throw new TokenStoreError(
    'corrupt',
    `${path} is damaged, so nobody knows the key. Restore it if you have a copy. ${whatIsLost(folder)}`,
  );
}

function whatIsLost(folder: string): string {
  return (
    `If there is none any more, what is stored is lost, tokens and registrations of clients alike: remove the folder ` +
    `${folder}, and log in again.`
  );
}
