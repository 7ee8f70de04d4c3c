import type { Role } from './scenario.ts';

/** A check that is known to fail, and why. The list may only shrink. */
export interface KnownFailure {
  readonly role: Role;
  readonly revision: string;
  readonly scenario: string;
  /** Id of the check; it covers every failing check of the scenario under that id. */
  readonly check: string;
  readonly reason: string;
}

const members = ['role', 'revision', 'scenario', 'check', 'reason'] as const;

/**
 * Reads the list of known failures.
 *
 * @throws Error when an entry lacks a member, has a further one, gives no reason or stands twice.
 */
export function parseKnownFailures(text: string): readonly KnownFailure[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new Error('the known failures must be an array');
  const entries = value.map(toKnownFailure);
  const twice = entries.map(describeKnownFailure).find((line, index, lines) => lines.indexOf(line) < index);
  if (twice !== undefined) throw new Error(`a known failure stands twice: ${twice}`);
  return entries;
}

function toKnownFailure(entry: unknown): KnownFailure {
  const record = Object(entry) as Record<string, unknown>;
  const complete = members.every((member) => typeof record[member] === 'string' && record[member] !== '');
  const { role } = record;
  if (!complete || Object.keys(record).length !== members.length || (role !== 'server' && role !== 'client')) {
    throw new Error(`a known failure has exactly ${members.join(', ')}: ${JSON.stringify(entry)}`);
  }
  return { ...(record as { readonly [member in (typeof members)[number]]: string }), role };
}

/** Names the check that an entry covers, in one line. */
export function describeKnownFailure({ role, revision, scenario, check }: KnownFailure): string {
  return `${role} ${revision} ${scenario}: ${check}`;
}
