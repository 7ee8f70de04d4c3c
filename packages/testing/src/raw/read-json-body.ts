import type { AnswerBuilder } from './answer-builder.ts';

/**
 * Reads a body that is one message. JSON must not begin with a byte order mark, so one is kept for the builder to see.
 */
export async function readJsonBody(chunks: AsyncIterable<Uint8Array>, builder: AnswerBuilder): Promise<void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  text += decoder.decode();
  if (text.trim() !== '') builder.push(text);
}
