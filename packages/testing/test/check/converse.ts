import { onTestFinished } from 'vitest';

import { type Conversation, createConversation, openWire, type WireTarget } from '../../src/index.ts';

/** A conversation with instances at these URLs, or with processes of a command; closed when the test ends. */
export function converse(target: readonly string[] | Exclude<WireTarget, { readonly url: string }>): Conversation {
  const conversation =
    'command' in target
      ? createConversation({ transport: 'stdio', instances: Infinity, open: () => openWire(target) })
      : createConversation({
          transport: 'http',
          instances: target.length,
          open: (instance) => openWire({ url: target[instance - 1] ?? '' }),
        });
  onTestFinished(() => conversation.close());
  return conversation;
}
