import type { InputRequest, JsonObject } from '@switchyard/protocol';

/** Puts a request for input to a legacy client, or into a task, and answers its result, as it came. */
export type LiveAsk = (request: InputRequest, key: string) => Promise<JsonObject>;
