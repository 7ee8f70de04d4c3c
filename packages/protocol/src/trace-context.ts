import { metaKeys } from './meta-key.ts';

/** Version 00 has these four fields; a later version may have more behind them, within 128 characters. */
const TRACEPARENT =
  /^(?:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]{0,72})?)$/;
/** The trace or the parent is nothing but zeros. */
const NO_ID = /^..-(?:0{32}|.{32}-0{16})-/;
const MAX_TRACESTATE_MEMBERS = 32;
/** A vendor's key and an opaque value. Members may be empty. */
const TRACESTATE_MEMBER =
  /^(?:(?:[a-z0-9][a-z0-9_*/-]{0,240}@)?[a-z0-9][a-z0-9_*/-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e])?$/;
/** A token of HTTP. */
const BAGGAGE_KEY = /^[!#$%&'*+.^_`|~\w-]+$/;
const BAGGAGE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/**
 * By each key of `_meta` that carries a trace, whether a value has the form that the W3C gives it. The keys stand in
 * the order in which they are best read: without a valid `traceparent` a `tracestate` means nothing.
 *
 * Spec: basic/index#meta (2026-07-28); W3C Trace Context, sections 3.2 and 3.3; W3C Baggage, section 3.3.
 */
export const traceForms: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  [metaKeys.traceparent, isTraceparent],
  [metaKeys.tracestate, isTracestate],
  [metaKeys.baggage, isBaggage],
]);

function isTraceparent(value: unknown): boolean {
  return typeof value === 'string' && TRACEPARENT.test(value) && !NO_ID.test(value);
}

function isTracestate(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  const members = value.split(',').map(trimSpace);
  return members.length <= MAX_TRACESTATE_MEMBERS && members.every((member) => TRACESTATE_MEMBER.test(member));
}

function isBaggage(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.split(',').every((member) => {
      const [entry = '', ...properties] = member.split(';').map(trimSpace);
      return isEntry(entry) && properties.every((property) => BAGGAGE_KEY.test(property) || isEntry(property));
    })
  );
}

function isEntry(text: string): boolean {
  const at = text.indexOf('=');
  if (at === -1) return false;
  return BAGGAGE_KEY.test(trimSpace(text.slice(0, at))) && BAGGAGE_VALUE.test(trimSpace(text.slice(at + 1)));
}

/** Without the optional space around separators, which is no other white space. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
