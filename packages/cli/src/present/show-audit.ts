import type { AuditRecord, AuditVerification } from '@switchyard/host';
import { cleanLine } from '../terminal.ts';
import { alignColumns } from './columns.ts';
import { countOf } from './count-of.ts';

const MAX_NAME_CHARS = 60;

/** Answers audit records as a table for a person, one line each, in the order given. */
export function showRecords(records: readonly AuditRecord[]): string {
  if (records.length === 0) return 'No records.';
  const head = ['TIME', 'KIND', 'AGENT', 'METHOD', 'SERVER', 'NAME', 'CALL', 'END'];
  const rows = records.map((record) => [
    record.time,
    record.kind,
    shown(record.agent),
    record.method,
    shown(record.server ?? '-'),
    shown(record.name),
    shown(record.callId),
    endOf(record),
  ]);
  return alignColumns([head, ...rows]).join('\n');
}

/** Answers what a verification found as text for a person. */
export function showVerification(found: AuditVerification): string {
  const lines = [
    `${found.ok ? 'The audit is intact' : `The audit is NOT intact: ${countOf(found.problemCount, 'problem')}`}: ${countOf(found.records, 'record')} in ${countOf(found.streams, 'stream')}.`,
    `${countOf(found.intents, 'intent')}, ${countOf(found.outcomes, 'outcome')}, ${found.refused} refused, ${found.unfinished} unfinished.`,
    ...found.problems.map(({ stream, sequence, problem }) => `  ${shown(stream)} #${sequence}: ${cleanLine(problem)}`),
    ...found.unfinishedCalls.map((callId) => `  unfinished: ${shown(callId)}`),
    ...found.notes.map((note) => `Note: ${note}`),
  ];
  return lines.join('\n');
}

const shownEffects = { none: 'had no effect', unknown: 'effect unknown' } as const;

function endOf({ kind, reason, isError, effect, durationMs }: AuditRecord): string {
  if (kind === 'intent') return '';
  const end = reason ?? (isError === true ? 'tool error' : 'completed');
  const parts = [end, ...(effect === undefined ? [] : [shownEffects[effect]])];
  if (kind !== 'refused' && durationMs !== undefined) parts.push(`${durationMs} ms`);
  return parts.join(', ');
}

function shown(text: string): string {
  return cleanLine(text, MAX_NAME_CHARS);
}
