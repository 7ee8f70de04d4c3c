/** Strings, and what nests or tells a key from a value. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}:]/g;

/** Answers a key that stands twice in one object of a valid JSON text, at any depth; `undefined` where there is none. */
export function findRepeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  let string = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token !== ':') string = token;
    else {
      const key = JSON.parse(string) as string;
      const keys = open.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
