import type { JsonObject } from '@switchyard/protocol';

/** A number of a form; one that a double cannot hold is a `bigint`. */
type Numeric = number | bigint;

/** One keyword that bounds a number. */
interface Bound {
  readonly rule: string;
  readonly limit: Numeric;
  readonly isExclusive: boolean;
}

/** Answers whether a value is a number, of either kind. */
export function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Answers which bound of its schema a number is beyond, digit for digit, as the end of a sentence, or `undefined`. */
export function whyOutOfRange(schema: JsonObject, value: Numeric): string | undefined {
  const low = lowerBounds(schema).find(({ limit, isExclusive }) => (isExclusive ? value <= limit : value < limit));
  const high = upperBounds(schema).find(({ limit, isExclusive }) => (isExclusive ? value >= limit : value > limit));
  const broken = low ?? high;
  return broken === undefined ? undefined : `is beyond its ${describe(broken)}`;
}

/** Answers which bounds of a schema leave no number between them, as the end of a sentence, or `undefined`. */
export function whyEmptyRange(schema: JsonObject, isInteger: boolean): string | undefined {
  // Where any two of several bounds leave something between them, all of them do.
  for (const low of lowerBounds(schema)) {
    const high = upperBounds(schema).find((each) => (isInteger ? holdsNoInteger(low, each) : holdsNothing(low, each)));
    if (high === undefined) continue;
    return `no ${isInteger ? 'integer' : 'number'} is within its ${describe(low)} and its ${describe(high)}`;
  }
  return undefined;
}

function holdsNothing(low: Bound, high: Bound): boolean {
  return low.isExclusive || high.isExclusive ? low.limit >= high.limit : low.limit > high.limit;
}

function holdsNoInteger(low: Bound, high: Bound): boolean {
  const first = low.isExclusive ? floor(low.limit) + 1n : ceil(low.limit);
  const last = high.isExclusive ? ceil(high.limit) - 1n : floor(high.limit);
  return first > last;
}

function floor(value: Numeric): bigint {
  return typeof value === 'bigint' ? value : BigInt(Math.floor(value));
}

function ceil(value: Numeric): bigint {
  return typeof value === 'bigint' ? value : BigInt(Math.ceil(value));
}

function lowerBounds(schema: JsonObject): readonly Bound[] {
  return [...bound(schema, 'minimum', false), ...bound(schema, 'exclusiveMinimum', true)];
}

function upperBounds(schema: JsonObject): readonly Bound[] {
  return [...bound(schema, 'maximum', false), ...bound(schema, 'exclusiveMaximum', true)];
}

function bound(schema: JsonObject, rule: string, isExclusive: boolean): readonly Bound[] {
  const limit = schema[rule];
  return isNumeric(limit) ? [{ rule, limit, isExclusive }] : [];
}

function describe({ rule, limit }: Bound): string {
  return `${rule} (${limit})`;
}
