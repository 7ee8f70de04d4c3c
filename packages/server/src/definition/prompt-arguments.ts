import { clip, type Prompt } from '@switchyard/protocol';

/** How long the values of a prompt's arguments may be, in UTF-16 units. */
export interface ArgumentLimits {
  /** By the names of all arguments that there are. */
  readonly maxChars: ReadonlyMap<string, number>;
  readonly maxTotalChars: number;
}

const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/u;

/**
 * Answers one sentence on what is wrong with the arguments of a prompt, or `undefined`: one is missing, unknown or too
 * long, or holds a control character (tab and line breaks are none) or an unpaired surrogate.
 */
export function promptArgumentProblem(
  prompt: Prompt,
  limits: ArgumentLimits,
  args: { readonly [name: string]: string },
): string | undefined {
  const known = prompt.arguments ?? [];
  for (const { name, required } of known) {
    if (required === true && !Object.hasOwn(args, name))
      return `the prompt ${prompt.name} needs the argument "${name}"`;
  }
  let total = 0;
  for (const name of Object.keys(args)) {
    const maxChars = limits.maxChars.get(name);
    if (maxChars === undefined) {
      const names = known.map((argument) => argument.name).join(', ') || 'none';
      return `the prompt ${prompt.name} has no argument ${JSON.stringify(clip(name))}; it has: ${names}`;
    }
    const value = args[name] ?? '';
    total += value.length;
    if (value.length > maxChars)
      return `the argument "${name}" of the prompt ${prompt.name} has ${value.length} characters; it takes at most ${maxChars}`;
    if (UNFIT.test(value))
      return `the argument "${name}" of the prompt ${prompt.name} holds a control character or half a character; tabs and line breaks are fine`;
  }
  return total <= limits.maxTotalChars
    ? undefined
    : `the arguments of the prompt ${prompt.name} have ${total} characters together; it takes at most ${limits.maxTotalChars}`;
}
