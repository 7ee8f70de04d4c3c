import { createHash } from 'node:crypto';
import { NAME_SEPARATOR } from '@switchyard/config';

/** The longest exposed name: what every model provider takes. */
const MAX_EXPOSED_NAME_CHARS = 64;

const MAX_PLAIN_SERVER_CHARS = 40;
const MAX_CUT_SERVER_CHARS = 24;
const HASH_CHARS = 11;
const HASH_SUFFIX_CHARS = '-h'.length + HASH_CHARS;
const HASH_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

const SAFE = /^[a-zA-Z0-9_-]+$/;
const UNSAFE_RUN = /[^a-zA-Z0-9_-]+/g;
const LOOKS_HASHED = new RegExp(`-h[${HASH_ALPHABET}]{${HASH_CHARS}}$`);

/**
 * Answers the name that a server has outside: in exposed names, policies and qualified URIs. It begins with a letter,
 * holds letters, digits, `_` and `-` only, never `__`, and has at most 40 characters. Different servers have different
 * ones, and each depends on the server's configured name alone.
 *
 * A name that already fits stays as it is; any other is made safe and gets a hash suffix of 55 bits.
 */
export function exposedServerName(server: string): string {
  const isPlain =
    server.length <= MAX_PLAIN_SERVER_CHARS &&
    SAFE.test(server) &&
    /^[a-zA-Z]/.test(server) &&
    !server.includes(NAME_SEPARATOR) &&
    !server.endsWith('_') &&
    !LOOKS_HASHED.test(server);
  if (isPlain) return server;
  const readable = server
    .replaceAll(UNSAFE_RUN, '_')
    .replaceAll(/_+/g, '_')
    .replace(/^[^a-zA-Z]+/, '')
    .slice(0, MAX_CUT_SERVER_CHARS);
  return `${readable === '' ? 'server' : readable}-h${hash(server)}`;
}

/**
 * Answers the exposed name of a server's tool or prompt: `server__tool`, at most 64 characters of
 * `^[a-zA-Z][a-zA-Z0-9_-]*$`, so that every model provider takes it.
 *
 * It is injective, and the same on every run whatever other servers and tools there are. A name that fits stays as it
 * is; any other is made safe and gets a hash suffix of 55 bits over server and name. A plain name never looks like a
 * hashed one, so a server cannot choose the exposed name of another's tool. Nothing splits an exposed name to route a
 * call.
 */
export function exposedName(server: string, name: string): string {
  const head = exposedNameHead(server);
  const room = MAX_EXPOSED_NAME_CHARS - head.length;
  if (name.length <= room && SAFE.test(name) && !LOOKS_HASHED.test(name)) return head + name;
  const readable = name.replaceAll(UNSAFE_RUN, '_').slice(0, room - HASH_SUFFIX_CHARS);
  return `${head}${readable}-h${hash([server, name])}`;
}

/** Answers what the exposed names of a server's tools and prompts begin with, and those of no other server. */
export function exposedNameHead(server: string): string {
  return exposedServerName(server) + NAME_SEPARATOR;
}

/** The first 55 bits of SHA-256 over the value's JSON text, in base 32. */
function hash(value: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(value)).digest();
  let bits = digest.readBigUInt64BE() >> 9n;
  let text = '';
  for (let index = 0; index < HASH_CHARS; index += 1) {
    text = HASH_ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}
