import { renderProblem, type Problem } from './problem.ts';

const MAX_RENDERED_PROBLEMS = 100;

/**
 * The one error that reading a configuration throws.
 *
 * `problems` holds everything that is wrong, in the order of the text, and has at least one entry. `message` is one
 * line for each (the first 100), ready for a terminal.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code = 'invalid_configuration';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.slice(0, MAX_RENDERED_PROBLEMS).map(renderProblem);
    const rest = problems.length - lines.length;
    if (rest > 0) lines.push(`and ${rest} more`);
    super(lines.join('\n'));
    this.problems = Object.freeze([...problems]);
  }
}
