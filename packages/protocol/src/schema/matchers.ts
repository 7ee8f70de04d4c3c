import type { RegExpEngine } from 'ajv/dist/types/index.js';
import type { LinearPattern } from './pattern/linear-pattern.ts';
import { type StepBudget, spend } from './step-budget.ts';

/**
 * What ajv takes for regular expressions. It is given handles instead of patterns, which say which of our matchers is
 * meant; each differs in its text, because ajv takes two matchers of the same text for one.
 */
export interface Matchers {
  /** Registers a pattern; without one, the matcher is always true. */
  readonly handleFor: (pattern: LinearPattern | undefined) => string;
  /** Registers a matcher that is true where one of some others is. */
  readonly handleForAny: (handles: readonly string[]) => string;
  /** The source of the pattern behind a handle, for messages; '' where there is none. */
  readonly sourceOf: (handle: string) => string;
  readonly engine: RegExpEngine;
}

interface Matcher {
  readonly source: string;
  readonly test: (text: string) => boolean;
}

/** Creates the matchers of one compiled schema; each test is charged to the budget. */
export function createMatchers(budget: StepBudget): Matchers {
  const matchers = new Map<string, Matcher>();
  const register = (matcher: Matcher): string => {
    const handle = `m${matchers.size}`;
    matchers.set(handle, matcher);
    return handle;
  };
  const test = (handle: string, text: string): boolean => matchers.get(handle)?.test(text) ?? true;
  const engine = (handle: string): { test: (text: string) => boolean; toString: () => string } => ({
    test: (text) => test(handle, text),
    toString: () => handle,
  });
  return {
    handleFor: (pattern) => {
      if (pattern === undefined) return register({ source: '', test: () => true });
      const { source } = pattern;
      return register({
        source,
        test: (text) => {
          spend(budget, pattern.stepsFor(text.length));
          return pattern.test(text);
        },
      });
    },
    handleForAny: (handles) => register({ source: '', test: (text) => handles.some((handle) => test(handle, text)) }),
    sourceOf: (handle) => matchers.get(handle)?.source ?? '',
    engine: Object.assign(engine, { code: 'matcher' }),
  };
}
