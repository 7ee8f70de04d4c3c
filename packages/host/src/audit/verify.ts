import type { AppendLog, LoggedRecord } from '@switchyard/stores';
import { readInTurns } from './read-in-turns.ts';
import { type AuditRecord, openRecord } from './record.ts';

const MAX_LISTED = 100;

/** One thing that is wrong with the audit. */
export interface AuditProblem {
  readonly stream: string;
  readonly sequence: number;
  readonly problem: string;
}

/** What a verification found. */
export interface AuditVerification {
  /**
   * Whether nothing is wrong. Unfinished calls are not wrong: they are what a killed process, or a running one, leaves.
   */
  readonly ok: boolean;
  readonly streams: number;
  readonly records: number;
  readonly intents: number;
  readonly outcomes: number;
  readonly refused: number;
  /** Intents without an outcome. */
  readonly unfinished: number;
  /** The call ids of the first 100 unfinished calls. */
  readonly unfinishedCalls: readonly string[];
  readonly problemCount: number;
  /** The first 100 problems. */
  readonly problems: readonly AuditProblem[];
  /** What this verification cannot tell. */
  readonly notes: readonly string[];
}

/** What a verification without an anchor can never see. */
const TAIL_NOTE =
  'Records cut from the end of a stream, or a whole stream, leave no trace in what remains: without an anchor outside the audit this cannot be detected.';

interface StreamState {
  sequence: number;
  /** Undefined when the record before could not be read. */
  hash: string | null | undefined;
}

/**
 * Reads the whole log once and checks each record's form and hash, each stream's order and links, and that each call
 * that ran has exactly one intent and then one outcome. Holds the streams and the unfinished calls in memory, not the
 * records.
 *
 * Rejects with the log's error only.
 */
export async function verifyAudit(log: AppendLog): Promise<AuditVerification> {
  const streams = new Map<string, StreamState>();
  const running = new Map<string, string>();
  const counts = { records: 0, intent: 0, outcome: 0, refused: 0 };
  const problems: AuditProblem[] = [];
  let problemCount = 0;

  function report({ stream, sequence }: LoggedRecord, problem: string): void {
    problemCount += 1;
    if (problems.length < MAX_LISTED) problems.push({ stream, sequence, problem });
  }

  function checkLink(stored: LoggedRecord, record: AuditRecord | undefined): void {
    const state = streams.get(stored.stream) ?? { sequence: 0, hash: null };
    const expected = state.sequence + 1;
    if (stored.sequence !== expected)
      report(stored, `the record before it has sequence ${state.sequence}: records are missing or out of order`);
    if (
      record !== undefined &&
      stored.sequence === expected &&
      state.hash !== undefined &&
      record.previous !== state.hash
    ) {
      report(stored, 'it does not continue the record before it');
    }
    streams.set(stored.stream, { sequence: stored.sequence, hash: record?.hash });
  }

  function checkCall(stored: LoggedRecord, { kind, callId }: AuditRecord): void {
    counts[kind] += 1;
    const key = JSON.stringify([stored.stream, callId]);
    if (kind === 'intent') {
      if (running.has(key)) report(stored, 'the call has an intent already');
      running.set(key, callId);
    } else if (kind === 'outcome') {
      if (!running.delete(key)) report(stored, 'an outcome without an intent before it');
    } else if (running.has(key)) {
      report(stored, 'the call has an intent and is refused');
    }
  }

  for await (const stored of readInTurns(log)) {
    counts.records += 1;
    const opened = openRecord(stored.text);
    const record = 'record' in opened ? opened.record : undefined;
    if ('problem' in opened) report(stored, opened.problem);
    else if (opened.record.stream !== stored.stream || opened.record.sequence !== stored.sequence) {
      report(stored, 'it belongs to another place in the audit');
    }
    checkLink(stored, record);
    if (record !== undefined) checkCall(stored, record);
  }

  return {
    ok: problemCount === 0,
    streams: streams.size,
    records: counts.records,
    intents: counts.intent,
    outcomes: counts.outcome,
    refused: counts.refused,
    unfinished: running.size,
    unfinishedCalls: [...running.values()].slice(0, MAX_LISTED),
    problemCount,
    problems,
    notes: [TAIL_NOTE],
  };
}
