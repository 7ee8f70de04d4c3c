import { holdsBigint } from '@switchyard/protocol';
import canonicalize from 'canonicalize';
import { isContainer } from './json-container.ts';

/**
 * Answers the canonical JSON text of a value (RFC 8785). A `bigint`, which stands for an integer that a double cannot
 * hold, is written digit for digit.
 *
 * Throws for what JSON cannot carry: a lone surrogate, NaN, infinity, a cycle. The caller bounds the depth.
 */
export function canonicalJson(value: unknown): string {
  return holdsBigint(value) ? exactText(value) : (canonicalize(value) ?? 'null');
}

function exactText(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`;
  if (!isContainer(value)) return canonicalize(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members.toSorted(byKey).map(([key, member]) => `${canonicalize(key)}:${exactText(member)}`);
  return `{${texts.join(',')}}`;
}

/** By UTF-16 code units, as RFC 8785 wants. */
function byKey([first]: [string, unknown], [second]: [string, unknown]): number {
  return first < second ? -1 : first > second ? 1 : 0;
}
