import { createInterface } from 'node:readline/promises';

/** Answers the next line that a person types, without its end. Rejects when the signal aborts. */
export async function readLine(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input });
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
  }
}
