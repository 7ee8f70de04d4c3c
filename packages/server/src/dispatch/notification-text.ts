import { type JsonObject, stringifyJson } from '@switchyard/protocol';

/** Answers the JSON text of a notification. */
export function notificationText(method: string, params: JsonObject): string {
  return stringifyJson({ jsonrpc: '2.0', method, params });
}
