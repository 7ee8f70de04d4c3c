/**
 * Answers the first name that stands twice in one object of a JSON text, which readers disagree about: most take the
 * last value, some the first. `undefined` where there is none. The text must be valid JSON.
 */
export function twiceNamed(json: string): string | undefined {
  const objects: Set<string>[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{') objects.push(new Set());
    else if (character === '}') objects.pop();
    else if (character === '"') {
      const end = endOfText(json, at);
      const name = nameAt(json, at, end);
      const names = objects.at(-1);
      if (name !== undefined && names?.has(name) === true) return name;
      if (name !== undefined) names?.add(name);
      at = end;
    }
  }
  return undefined;
}

/** Where the text that begins at `start` has its closing quote. */
function endOfText(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end;
}

/** The text between two quotes where a colon follows it, as behind nothing but a name. */
function nameAt(json: string, start: number, end: number): string | undefined {
  let next = end + 1;
  while (/\s/.test(json[next] ?? '')) next += 1;
  return json[next] === ':' ? (JSON.parse(json.slice(start, end + 1)) as string) : undefined;
}
