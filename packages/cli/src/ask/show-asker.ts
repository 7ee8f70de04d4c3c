import type { Ask } from '@switchyard/client';
import { stringifyJson } from '@switchyard/protocol';
import type { Wanted } from '../target/host-target.ts';
import { cleanLine } from '../terminal.ts';

const MAX_ARGUMENTS_CHARS = 500;

const subjects: { readonly [method: string]: string } = {
  'tools/call': 'the tool',
  'resources/read': 'the resource',
  'prompts/get': 'the prompt',
};

/**
 * Answers who asks, and before what goes on, as one clean line. Where a server does not say what it interrupts, it is
 * what this command is at.
 */
export function showAsker({ server, trust, interrupts, round }: Ask, wanted: Wanted | undefined): string {
  const who = `The server ${JSON.stringify(cleanLine(server))} (${cleanLine(trust)}) asks`;
  const again = round > 1 ? ` (its ${ordinal(round)} question round)` : '';
  return `${who}${during(interrupts, wanted)}${again}:`;
}

function during(interrupts: Ask['interrupts'], wanted: Wanted | undefined): string {
  if (interrupts === undefined)
    return wanted === undefined ? '' : `, while this command is at the ${wanted.kind} ${quoted(wanted.subject)}`;
  const { method, name, arguments: args } = interrupts;
  const subject = name === undefined ? cleanLine(method) : `${subjects[method] ?? cleanLine(method)} ${quoted(name)}`;
  const given = args === undefined ? '' : ` with ${cleanLine(stringifyJson(args), MAX_ARGUMENTS_CHARS)}`;
  return `, before it goes on with ${subject}${given}`;
}

function quoted(text: string): string {
  return JSON.stringify(cleanLine(text));
}

function ordinal(number: number): string {
  const [unit, isTeen] = [number % 10, Math.floor(number / 10) % 10 === 1];
  const end = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][unit] ?? 'th');
  return `${number}${end}`;
}
