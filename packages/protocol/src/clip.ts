/** Cuts a text to `max` UTF-16 units, the last of which is then an ellipsis, so that foreign text cannot swell a message. */
export function clip(text: string, max = 100): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
