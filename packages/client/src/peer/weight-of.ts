/**
 * What a value takes beside the characters of its texts: an empty object is 2 characters on the wire and 56 bytes here.
 */
const VALUE_WEIGHT = 16;

/**
 * Answers roughly what a JSON value takes in memory, in characters: its texts and a fixed weight for each value. It
 * does not recurse, and stops as soon as `max` is passed.
 */
export function weightOf(root: unknown, max: number): number {
  const open: unknown[] = [root];
  let weight = 0;
  while (open.length > 0 && weight <= max) {
    const value = open.pop();
    weight += VALUE_WEIGHT;
    if (typeof value === 'string') weight += value.length;
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        weight += key.length;
        open.push(member);
      }
    }
  }
  return weight;
}
