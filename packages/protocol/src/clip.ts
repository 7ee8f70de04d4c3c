/**
 * Cuts a text to at most `max` UTF-16 units (at least 1), the last of which is then an ellipsis, so that foreign text
 * cannot swell a message. A pair of surrogates is never cut in two.
 */
export function clip(text: string, max = 100): string {
  if (text.length <= max) return text;
  const end = max - 1;
  return `${text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
