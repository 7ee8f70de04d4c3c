/**
 * Longest integer that is kept digit for digit; what is longer is rounded, since converting takes time that grows with
 * its square.
 */
const maxDigits = 1000;

/** Looked for in short texts only: a count takes stack for each digit. */
const longInteger = /^-?[1-9]\d{15,}$/;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Parses JSON text and makes each integer that a double cannot hold a `bigint`; throws a `SyntaxError` for what is not
 * JSON. It takes linear time and no stack, whatever the text holds: the long integers become marked strings, the native
 * parser reads the rest, and the marks become integers.
 */
export function parseExactly(text: string): unknown {
  const mark = unusedMark(text);
  const marked = markLongIntegers(text, mark);
  const value: unknown = JSON.parse(marked);
  return marked === text ? value : restore(value, mark);
}

/** A text that no string of `text` holds, neither as it is written nor as its escapes spell it. */
function unusedMark(text: string): string {
  const spelled = text.replaceAll(/\\u([0-9a-fA-F]{4})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const used = new Set<string>();
  for (const where of [text, spelled]) for (const [found] of where.matchAll(/integer\d+:/g)) used.add(found);
  let count = 0;
  while (used.has(`integer${count}:`)) count += 1;
  return `integer${count}:`;
}

function markLongIntegers(text: string, mark: string): string {
  let marked = '';
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at + 1);
    else if (!startsNumber(code)) at += 1;
    else {
      const end = numberEnd(text, at);
      const source = end - at <= maxDigits ? text.slice(at, end) : '';
      if (longInteger.test(source) && !isKey(text, end)) {
        if (!Number.isSafeInteger(Number(source))) {
          marked += `${text.slice(copied, at)}"${mark}${source}"`;
          copied = end;
        }
      }
      at = end;
    }
  }
  return copied === 0 ? text : marked + text.slice(copied);
}

/** Where the string ends whose first character stands at `at`. */
function stringEnd(text: string, at: number): number {
  for (let index = at; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) return index + 1;
    if (code === backslash) index += 1;
  }
  return text.length;
}

function startsNumber(code: number): boolean {
  return code === 0x2d || (code >= 0x30 && code <= 0x39);
}

/** Where a run of everything ends that a number, a word or a mistaken number may hold. */
function numberEnd(text: string, at: number): number {
  const run = /[\w.+-]+/y;
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : at + 1;
}

/** A number in the place of a key is no JSON, and must not become a string, which is. */
function isKey(text: string, at: number): boolean {
  let index = at;
  while (index < text.length && ' \t\n\r'.includes(text.charAt(index))) index += 1;
  return text.charAt(index) === ':';
}

type Container = { [key: string]: unknown };

function restore(root: unknown, mark: string): unknown {
  const holder: Container = { root };
  const waiting: Container[] = [holder];
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    for (const key of Object.keys(container)) {
      const member = ownMember(container, key);
      if (typeof member === 'object' && member !== null) waiting.push(member as Container);
      else if (typeof member === 'string' && member.startsWith(mark)) {
        setOwnMember(container, key, BigInt(member.slice(mark.length)));
      }
    }
  }
  return holder['root'];
}

/** JSON may hold a member `__proto__`, which plain access would take for the prototype. */
function ownMember(container: Container, key: string): unknown {
  return key === '__proto__' ? Object.getOwnPropertyDescriptor(container, key)?.value : container[key];
}

function setOwnMember(container: Container, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(container, key, { value });
  else container[key] = value;
}
