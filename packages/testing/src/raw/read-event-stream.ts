import { createParser } from 'eventsource-parser';

import type { AnswerBuilder } from './answer-builder.ts';

/** Reads server-sent events up to the one that is the response; what came in the same chunk behind it is noted. */
export async function readEventStream(chunks: AsyncIterable<Uint8Array>, builder: AnswerBuilder): Promise<void> {
  // A stream may begin with a byte order mark, which this one leaves out.
  const decoder = new TextDecoder();
  let isDone = false;
  let hasEnded = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '') return;
      if (isDone) builder.pushLate(data);
      else if (hasEnded) builder.addFlaw('the stream ended inside an event, which a client does not get then');
      else isDone = builder.push(data);
    },
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (isDone) return;
  }
  parser.feed(decoder.decode());
  hasEnded = true;
  // An empty line ends an event that the stream did not.
  parser.feed('\n\n');
}
