import { RE2JS } from 're2js';
import { parsePattern } from './parse-pattern.ts';

/** A pattern that answers in time proportional to the length of the text. */
export interface LinearPattern {
  readonly source: string;
  /** Searches the text for a match anywhere in it. */
  readonly test: (text: string) => boolean;
  /** An upper bound of the steps that a search through so many UTF-16 units takes. */
  readonly stepsFor: (length: number) => number;
}

/** Steps after which engines are made anew, because each keeps the states that it has been in. */
const stepsPerGeneration = 20_000_000;

/** The patterns of one schema, which share how much their engines may remember. */
export interface PatternFamily {
  generation: number;
  stepsLeft: number;
}

/** Starts a family for the patterns of one schema. */
export function createPatternFamily(): PatternFamily {
  return { generation: 0, stepsLeft: stepsPerGeneration };
}

/**
 * Compiles a pattern of ECMA-262 (flag `u`, unanchored) to RE2, so that no text can make it slow.
 *
 * Undefined for a pattern that cannot be held that way; see `parsePattern`.
 */
export function compileLinearPattern(source: string, family: PatternFamily): LinearPattern | undefined {
  const parsed = parsePattern(source);
  if (parsed === undefined) return undefined;
  const { re2, size } = parsed;
  let engine: RE2JS;
  try {
    engine = RE2JS.compile(re2);
  } catch {
    // The engine refuses some properties and nested repetitions that ECMA-262 has; such a pattern cannot be held.
    return undefined;
  }
  let { generation } = family;
  const stepsFor = (length: number): number => 2 * (1 + length) * Math.max(1, size);
  return {
    source,
    stepsFor,
    test: (text) => {
      family.stepsLeft -= stepsFor(text.length);
      if (family.stepsLeft < 0) {
        family.generation += 1;
        family.stepsLeft = stepsPerGeneration;
      }
      if (generation !== family.generation) {
        engine = RE2JS.compile(re2);
        ({ generation } = family);
      }
      return engine.test(text);
    },
  };
}
