import { plainText } from './hidden-characters.ts';
import { instructionRules, type TextKind } from './instruction-rules.ts';

/** An instruction that a text carries. */
export interface FoundInstruction {
  /** The name of the rule. */
  readonly rule: string;
  /** What the rule finds, in words. */
  readonly finds: string;
  /** The part of the text, from outside and at most 200 characters. */
  readonly excerpt: string;
}

const MAX_CHARS = 64 * 1024;
const MAX_EXCERPT = 200;

/**
 * Answers what in a text of a server is written to steer a model against its host or user, at most once for each rule: asks to
 * ignore instructions, markers of roles, hidden characters, tools put before others, secrets asked for, approvals claimed. Rules, not a
 * model: a finding is a reason to look, and its absence is no proof. Looks at the first 64 Ki characters, in time proportional to them.
 */
export function findInstructions(text: string, kind: TextKind): readonly FoundInstruction[] {
  const looked = text.slice(0, MAX_CHARS);
  const plain = plainText(looked);
  return instructionRules.flatMap(({ name, finds, kinds, find }) => {
    const found = kinds.includes(kind) ? find(looked, plain) : undefined;
    return found === undefined ? [] : [{ rule: name, finds, excerpt: found.slice(0, MAX_EXCERPT) }];
  });
}
