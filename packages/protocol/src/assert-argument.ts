/** @throws TypeError when options or a definition are no object. */
export function assertObject(what: string, given: unknown): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(`${what}: an object is needed here, not ${kindOf(given)}`);
}

/** @throws TypeError when a text, such as a name or a URI, is none. */
export function assertText(what: string, given: unknown): asserts given is string {
  if (typeof given !== 'string') throw new TypeError(`${what} must be a text, not ${kindOf(given)}`);
}

/** @throws TypeError when a handler is no function. */
export function assertHandler(what: string, handler: unknown): void {
  if (typeof handler !== 'function')
    throw new TypeError(`${what}: the handler, which comes last, must be a function, not ${kindOf(handler)}`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
