import type { Position } from './problem.ts';
import type { Report } from './report.ts';

const MAX_SYNTAX_PROBLEMS = 20;

/**
 * Answers a function that refuses a syntax error of `language`: at most one a line and 20 in all, because one slip
 * makes a tolerant parser report several symptoms in a row and the first of a line is the one to mend.
 */
export function createSyntaxReport(
  language: string,
  report: Report,
): (at: Position, words: string, suggestion?: string) => void {
  const told = new Set<number>();
  return (at, words, suggestion) => {
    if (told.has(at.line) || told.size >= MAX_SYNTAX_PROBLEMS) return;
    told.add(at.line);
    report.refuse(at, [], `this is not valid ${language}: ${words}`, suggestion);
  };
}
