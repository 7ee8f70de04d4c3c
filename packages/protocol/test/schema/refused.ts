import { SchemaError } from '../../src/schema/index.ts';

/** Runs something that has to refuse a schema, and tells how it did. */
export function refusal(run: () => unknown): {
  readonly code: string;
  readonly pointer: string;
  readonly message: string;
} {
  try {
    run();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { code: error.code, pointer: error.pointer, message: error.message };
  }
  throw new Error('the schema was not refused');
}
