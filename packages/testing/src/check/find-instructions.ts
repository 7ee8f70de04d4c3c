import { plainText } from './hidden-characters.ts';
import { instructionRules, type ServedTextKind } from './instruction-rules.ts';

/** An instruction that a text carries. */
export interface FoundInstruction {
  /** The name of the rule. */
  readonly rule: string;
  /** What the rule finds, in words. */
  readonly finds: string;
  /** The part of the text, from outside and at most 200 characters. */
  readonly excerpt: string;
}

/** Long texts are looked at in parts, which overlap so that nothing is cut in two. */
const PART_CHARS = 64 * 1024;
const OVERLAP_CHARS = 4 * 1024;
const MAX_EXCERPT = 200;

/**
 * Answers what in a text of a server is written to steer a model against its host or user, at most once for each rule:
 * asks to ignore instructions, markers of roles, hidden characters, tools put before others, secrets asked for,
 * approvals claimed. Rules, not a model: a finding is a reason to look, and its absence is no proof. Takes time
 * proportional to the text.
 */
export function findInstructions(text: string, kind: ServedTextKind): readonly FoundInstruction[] {
  const found = new Map<string, FoundInstruction>();
  for (let start = 0; start === 0 || start + OVERLAP_CHARS < text.length; start += PART_CHARS - OVERLAP_CHARS) {
    const part = text.slice(start, start + PART_CHARS);
    const plain = plainText(part);
    for (const { name, finds, kinds, find } of instructionRules) {
      const excerpt = kinds.includes(kind) && !found.has(name) ? find(part, plain) : undefined;
      if (excerpt !== undefined) found.set(name, { rule: name, finds, excerpt: cut(excerpt) });
    }
  }
  return [...found.values()];
}

/** Known secrets are looked for before an ellipsis, too. */
function cut(excerpt: string): string {
  return excerpt.length > MAX_EXCERPT ? `${excerpt.slice(0, MAX_EXCERPT - 1)}…` : excerpt;
}
