import { onTestFinished } from 'vitest';

/** Answers what was opened, and has it closed when the running test ends: the last opened first. */
export async function untilTestEnds<T extends AsyncDisposable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}
