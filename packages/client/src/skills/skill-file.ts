import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeBase64, type ReadResourceResult, type SkillResource } from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** A file of a skill. Its bytes are what the list of the skill promised, and no safer than that. */
export interface SkillFile {
  readonly uri: string;
  /** As the server says. */
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
  /** The same as text; `undefined` where the bytes are no UTF-8. */
  readonly text: string | undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Answers the file that a server sent. Where `promised` is given its size and its SHA-256 digest have to be those; any
 * difference is a `ClientError` with code `result-rejected`, and nothing of the file is answered.
 *
 * Spec: SEP-2640, integrity and verification.
 */
export function readSkillFile(
  context: PeerContext,
  { contents }: ReadResourceResult,
  uri: string,
  promised: SkillResource | undefined,
): SkillFile {
  const [content, ...others] = contents;
  if (content === undefined || others.length > 0 || content.uri !== uri) {
    throw reject('it was answered with something else than that one file');
  }
  const bytes = 'text' in content ? new TextEncoder().encode(content.text) : decodeBase64(content.blob);
  if (bytes === undefined) throw reject('its blob is no Base64');
  if (promised !== undefined) {
    if (bytes.length !== promised.size) {
      throw reject(`it has ${bytes.length} bytes, and ${promised.size} were listed`);
    }
    if (`sha256:${bytesToHex(sha256(bytes))}` !== promised.digest) throw reject('its digest is not the listed one');
  }
  return { uri, mimeType: content.mimeType, bytes, text: textOf(bytes) };

  function reject(problem: string): Error {
    return context.fail(
      'result-rejected',
      `${quoted(uri)} of a skill is refused: ${problem}. List the skills again; if that does not help, do not use it.`,
    );
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    // Bytes that are no text are still a file.
    return undefined;
  }
}
