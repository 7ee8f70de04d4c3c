import { ConfigurationError } from './configuration-error.ts';
import { type KeyPath, type Position, type Problem, shownKey } from './problem.ts';

/** Collects what the readers and checkers of one configuration find, so that all of it can be told at once. */
export interface Report {
  /** Notes something that makes the configuration unusable. */
  refuse(at: Position, path: KeyPath, message: string, suggestion?: string): void;
  /** Notes something that deserves a look and stops nothing. */
  warn(at: Position, path: KeyPath, message: string, suggestion?: string): void;
  /** True once anything was refused. */
  readonly refused: boolean;
  /** The warnings in the order of the text. */
  warnings(): readonly Problem[];
  /** Answers the error to throw: every refusal in the order of the text. */
  error(): ConfigurationError;
}

/** Starts an empty report about `file`. */
export function createReport(file: string): Report {
  const refusals: Problem[] = [];
  const warnings: Problem[] = [];
  const note = (list: Problem[]) => (at: Position, path: KeyPath, message: string, suggestion?: string) => {
    const { line, column } = at;
    const frozenPath = Object.freeze(
      path.map((key, index) => (typeof key === 'number' ? key : shownKey(key, path.slice(0, index)))),
    );
    const found = { file, line, column, path: frozenPath, message };
    list.push(Object.freeze(suggestion === undefined ? found : { ...found, suggestion }));
  };
  return {
    refuse: note(refusals),
    warn: note(warnings),
    get refused() {
      return refusals.length > 0;
    },
    warnings: () => Object.freeze(inTextOrder(warnings)),
    error: () => new ConfigurationError(inTextOrder(refusals)),
  };
}

function inTextOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((one, other) => one.line - other.line || one.column - other.column);
}
