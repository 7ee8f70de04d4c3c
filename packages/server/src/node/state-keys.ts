import { readFile, stat } from 'node:fs/promises';
import process from 'node:process';

import { parseStateKeys, type StateKeySource } from '../state/state-keys.ts';

/** The environment variable with the keys for request state: base64url, separated by commas; the first seals. */
export const STATE_KEYS_VARIABLE = 'SWITCHYARD_STATE_KEYS';

/** Answers a source that reads {@link STATE_KEYS_VARIABLE}, or `undefined` where it is not set. */
export function stateKeysFromEnvironment(
  environment: { readonly [name: string]: string | undefined } = process.env,
): StateKeySource | undefined {
  const isSet = (environment[STATE_KEYS_VARIABLE] ?? '').trim() !== '';
  return isSet ? () => splitKeys(environment[STATE_KEYS_VARIABLE] ?? '', STATE_KEYS_VARIABLE) : undefined;
}

/**
 * Answers a source that reads a file of keys: base64url, separated by commas or line breaks; the first seals. The file
 * is read again when keys are, so replacing it rotates them. It must be readable by its owner alone (mode 0600 or less;
 * not checked on Windows).
 */
export function stateKeysFromFile(path: string): StateKeySource {
  return async () => {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new TypeError(
        `refusing to read the keys in ${path}: others than its owner may read or change it; run \`chmod 600\` on it`,
      );
    }
    return splitKeys(await readFile(path, 'utf8'), path);
  };
}

/** Checks them here as well, since only here it is known what to name. */
function splitKeys(text: string, from: string): readonly string[] {
  const keys = text.split(/[,\s]+/).filter((key) => key !== '');
  parseStateKeys(keys, from);
  return keys;
}
