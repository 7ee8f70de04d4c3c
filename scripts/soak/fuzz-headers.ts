import { decodeHeaderValue, encodeHeaderValue, HeaderValueError } from '@switchyard/protocol';
import fc from 'fast-check';

import type { Soak } from './soak.ts';

/** What a header value may hold on the wire: visible ASCII, spaces and tabs inside. */
const SENDABLE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$|^$/;

/** Texts and raw values to the header codec. */
export const fuzzHeaders: Soak = {
  what: 'any texts and any raw values to the codec of header values for so many seconds: what is encoded can be sent and decodes to the text; a decoder answers a text or nothing, and throws nothing of its own',
  amount: 60,
  async run({ seed, amount, progress }) {
    const until = performance.now() + amount * 1000;
    let values = 0;
    for (let round = 0; performance.now() < until; round += 1) {
      const options = { seed: seed + round, numRuns: 20_000 };
      const text = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        fc.string().map((inner) => `=?base64?${inner}?=`),
      );
      const there = fc.check(fc.property(text, holds), options);
      const raw = fc.oneof(
        fc.string(),
        fc.base64String().map((inner) => `=?base64?${inner}?=`),
        fc.string({ unit: 'binary' }),
      );
      const back = fc.check(fc.property(raw, decodes), options);
      for (const { failed, counterexample, errorInstance } of [there, back]) {
        if (failed) return { ok: false, found: { values, counterexample, error: String(errorInstance) } };
      }
      values += 2 * options.numRuns;
      if (round % 20 === 0) progress(`${values} values`);
    }
    return { ok: values > 0, found: { values } };
  },
};

function holds(text: string): void {
  let encoded: string;
  try {
    encoded = encodeHeaderValue(text);
  } catch (error) {
    if (error instanceof HeaderValueError && !text.isWellFormed()) return;
    throw error;
  }
  if (!SENDABLE.test(encoded)) throw new Error(`cannot be sent: ${JSON.stringify(encoded)}`);
  if (decodeHeaderValue(encoded) !== text) throw new Error(`decodes to another text: ${JSON.stringify(text)}`);
}

function decodes(raw: string): void {
  const decoded = decodeHeaderValue(raw);
  if (decoded !== undefined && typeof decoded !== 'string') throw new Error('neither a text nor nothing');
}
