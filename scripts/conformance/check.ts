/** One observation of the suite. `SKIPPED` and `INFO` say nothing about the implementation. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly message: string;
}

const statuses: ReadonlySet<string> = new Set(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']);

/**
 * Reads a `checks.json` of the suite.
 *
 * @throws Error when the text is not an array of checks.
 */
export function parseChecks(text: string): readonly Check[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new Error('the file is not an array of checks');
  return value.map((entry: unknown) => toCheck(entry));
}

function toCheck(entry: unknown): Check {
  const { id, status, name, description, errorMessage } = Object(entry) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof status !== 'string' || !statuses.has(status)) {
    throw new Error(`not a check of the suite: ${JSON.stringify(entry)}`);
  }
  const message = [errorMessage, description, name].find((text) => typeof text === 'string' && text !== '');
  return { id, status: status as Check['status'], message: typeof message === 'string' ? message : '' };
}
