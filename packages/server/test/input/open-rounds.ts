import { createServer } from '@switchyard/server';
import { z } from 'zod';

import { createRecorder } from '../recorder.ts';
import { type Answer, send } from './input-route.ts';

/** The form of a question. */
export const name = z.object({ name: z.string() });
/** The form of another question. */
export const color = z.object({ color: z.string() });

/** A server and what it logs. */
export function create(options: object = {}) {
  const logger = createRecorder();
  return { logger, server: createServer({ name: 'rounds', version: '1.0.0' }, { logger, ...options }) };
}

/** Retries an answer of the server with what it asks for. */
export function retry(
  server: Parameters<typeof send>[0],
  tool: string,
  { state }: Answer,
  answers: { readonly [key: string]: unknown },
): Promise<Answer> {
  return send(server, tool, {}, { state, answers });
}
