import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/** What the first line of a transcript says. */
export interface TranscriptHead {
  readonly format: 'switchyard-transcript/1';
  readonly transport: 'http' | 'stdio';
  /** Name and version that the server reports of itself. */
  readonly server?: JsonObject;
}

/** One exchange as it is kept: without what is secret, personal or accidental. */
export interface TranscriptEntry {
  /** What it was for. */
  readonly label: string;
  readonly instance: number;
  readonly sent: { readonly message: JsonObject; readonly headers?: JsonObject };
  readonly received: {
    readonly status?: number;
    readonly contentType?: string;
    readonly messages: readonly JsonObject[];
    /** What was no message. */
    readonly stray?: readonly string[];
  };
}

/** A conversation as it is kept. */
export interface Transcript {
  readonly head: TranscriptHead;
  readonly entries: readonly TranscriptEntry[];
}

/** A text that is no transcript; the message names the line and what was expected. */
export class TranscriptError extends Error {
  override readonly name = 'TranscriptError';
}

/** Deepest nesting of what is read back; what is kept of a message has 256 levels. */
export const MAX_NESTING = 300;

/** Renders a transcript as JSON lines: the head, then one line for each exchange. */
export function renderTranscript({ head, entries }: Transcript): string {
  return [head, ...entries].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Reads what {@link renderTranscript} wrote. Throws a TranscriptError for anything else. */
export function parseTranscript(text: string): Transcript {
  const [head, ...entries] = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, index + 1)]));
  if (head?.['format'] !== 'switchyard-transcript/1')
    throw new TranscriptError('line 1 is no head of a transcript: expected "format": "switchyard-transcript/1"');
  const broken = entries.findIndex((entry) => !isEntry(entry));
  if (broken >= 0) throw new TranscriptError(`entry ${broken + 1} has no label, sent.message and received.messages`);
  return {
    head: head as object as TranscriptHead,
    entries: entries as readonly object[] as readonly TranscriptEntry[],
  };
}

function readLine(line: string, number: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new TranscriptError(`line ${number} is not JSON`, { cause: error });
  }
  if (!isJsonObject(value)) throw new TranscriptError(`line ${number} is no JSON object`);
  if (isDeeper(value, MAX_NESTING))
    throw new TranscriptError(`line ${number} is nested deeper than ${MAX_NESTING} levels`);
  return value;
}

/** Whether a value is nested deeper than so many levels; it looks no further than that. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

function isEntry({ label, sent, received }: JsonObject): boolean {
  return (
    typeof label === 'string' &&
    isJsonObject(sent) &&
    isJsonObject(sent['message']) &&
    isJsonObject(received) &&
    Array.isArray(received['messages']) &&
    received['messages'].every(isJsonObject)
  );
}
