/**
 * Says whether a number is a whole multiple of another by their decimal digits, as JSON writes them: 19.99 is a
 * multiple of 0.01, although their binary quotient is not whole.
 */
export function isDecimalMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value) || !Number.isFinite(divisor)) return value === 0;
  const a = decimal(value);
  const b = decimal(divisor);
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = (part: Decimal): bigint => part.digits * 10n ** BigInt(part.exponent - exponent);
  return scale(a) % scale(b) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
