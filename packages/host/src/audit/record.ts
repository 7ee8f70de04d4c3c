import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { canonicalJson } from '../json/canonical-json.ts';
import type { RedactedArguments } from './redact-arguments.ts';

/**
 * What a record is about: `intent` is durable before a call runs, `outcome` says how it ended, and `refused` is the one
 * record of a call that did not run.
 */
export type AuditKind = 'intent' | 'outcome' | 'refused';

const kinds: ReadonlySet<unknown> = new Set(['intent', 'outcome', 'refused'] satisfies AuditKind[]);

/**
 * What a tool call that was let through did without a usable answer: `none`, because it was not sent or was refused at
 * its server before it ran, or `unknown`, because it was sent.
 */
export type CallEffect = 'none' | 'unknown';

/** What the writer of a record says. No value of an argument and nothing of a result enters. */
export interface AuditEntry {
  readonly kind: AuditKind;
  /** Joins the intent and the outcome of one call. */
  readonly callId: string;
  readonly agent: string;
  /** The authenticated caller, where there was one. */
  readonly subject?: string;
  readonly tenant?: string;
  /** The protocol method, such as `tools/call`. */
  readonly method: string;
  /** The configured name of the server, where one was found. */
  readonly server?: string;
  /**
   * What was called: the server's own name of a tool or prompt, or the URI; the asked-for name where nothing was found.
   */
  readonly name: string;
  /** SHA-256 over the canonical JSON of the tool's or prompt's definition, in hex. */
  readonly definitionDigest?: string;
  /** HMAC-SHA256 over the canonical JSON of the frozen arguments, in hex, under the key beside the audit. */
  readonly argumentsDigest?: string;
  readonly arguments?: RedactedArguments;
  /** Why a call was refused or failed; absent when it completed. */
  readonly reason?: string;
  /** Absent where the server answered, and for methods that only read. */
  readonly effect?: CallEffect;
  readonly durationMs?: number;
  readonly resultBytes?: number;
  /** Whether a completed tool call reports an error. */
  readonly isError?: boolean;
}

/** One record of the audit. Its text is its canonical JSON (RFC 8785). */
export interface AuditRecord extends AuditEntry {
  readonly v: 1;
  /** The chain that the record belongs to: one instance, one epoch. */
  readonly stream: string;
  /** 1, 2, 3 … within the stream. */
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The hash of the record before it in the stream; null for the first. */
  readonly previous: string | null;
  /** SHA-256 in hex over the canonical JSON of all other members. */
  readonly hash: string;
}

/** Where a record stands and when it was written. */
export type AuditPosition = Pick<AuditRecord, 'stream' | 'sequence' | 'time' | 'previous'>;

/** Makes a record with its hash, and its text. */
export function sealRecord(
  entry: AuditEntry,
  position: AuditPosition,
): { readonly record: AuditRecord; readonly text: string } {
  const content = { v: 1 as const, ...position, ...entry };
  const members = Object.entries(content);
  // The canonical texts with and without the hash have these two halves in common, which are the costly part.
  const before = membersText(members.filter(([name]) => name < 'hash'));
  const after = membersText(members.filter(([name]) => name > 'hash'));
  const hash = sha256(`{${before},${after}}`);
  return { record: { ...content, hash }, text: `{${before},"hash":"${hash}",${after}}` };
}

function membersText(members: [string, unknown][]): string {
  return canonicalJson(Object.fromEntries(members)).slice(1, -1);
}

/** Reads a record back and answers it, or what is wrong with its form or its hash. Never throws. */
export function openRecord(text: string): { readonly record: AuditRecord } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'it is not JSON' };
  }
  if (!isJsonObject(value) || !isRecord(value)) return { problem: 'it is not an audit record of version 1' };
  try {
    if (canonicalJson(value) !== text) return { problem: 'it is not in canonical form' };
    const { hash, ...content } = value;
    return hash === sha256(canonicalJson(content))
      ? { record: value }
      : { problem: 'its content does not match its hash' };
  } catch {
    return { problem: 'it holds text that is not well-formed Unicode' };
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isRecord(value: JsonObject): value is JsonObject & AuditRecord {
  const { v, kind, stream, sequence, time, previous, hash, callId, agent, method, name } = value;
  return (
    v === 1 &&
    kinds.has(kind) &&
    Number.isSafeInteger(sequence) &&
    (previous === null || typeof previous === 'string') &&
    [stream, time, hash, callId, agent, method, name].every((member) => typeof member === 'string')
  );
}
