import process from 'node:process';
import { emitKeypressEvents } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { systemClock } from '@switchyard/client';
import type { Person } from '../surroundings.ts';

/** How long nothing may be typed before a question that was just shown takes an answer. */
const PAUSE_MS = 300;
const PASTES_IN_BRACKETS = '\u001b[?2004h';
const PASTES_AS_KEYS = '\u001b[?2004l';
const SHOW_CURSOR = '\u001b[?25h';
const BELL = '\u0007';

/** A key as a terminal in raw mode reports it. */
interface PressedKey {
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly name?: string;
}

/** The keys that are meant for one question. */
export interface QuestionKeys {
  /** Emits `keypress` for each key, and once for all that is pasted at once. */
  readonly input: Readable;
  /** How often Ctrl-C was pressed. */
  interrupts(): number;
  /** Gives the terminal back. Called once. */
  close(): void;
}

/**
 * Takes the terminal for one question. What is typed counts once nothing was typed for 300 ms, so that no key that was
 * meant for something else answers it, unless it is the next one of a form; Ctrl-C always counts. What is pasted is one line of text and ends nothing.
 * `onEnd` is told of Ctrl-D and of the end of the input.
 */
export function openQuestionKeys(
  person: Person,
  { isNext, onEnd }: { readonly isNext: boolean; readonly onEnd: () => void },
): QuestionKeys {
  const { input, output, clock = systemClock } = person;
  const terminal: Readable & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>> = input;
  const keys = new Readable({ read: () => undefined });
  let interrupts = 0;
  let isSettled = isNext;
  let hasRung = false;
  /** What was pasted so far, while a paste goes on. */
  let pasted: string | undefined;
  let callOff = clock.after(PAUSE_MS, settle);

  emitKeypressEvents(input);
  input.on('keypress', take);
  input.once('end', onEnd);
  process.once('exit', giveBack);
  if (terminal.isTTY === true) terminal.setRawMode?.(true);
  output.write(PASTES_IN_BRACKETS);
  input.resume();

  return {
    input: keys,
    interrupts: () => interrupts,
    close() {
      callOff();
      input.pause();
      input.off('keypress', take);
      input.off('end', onEnd);
      process.off('exit', giveBack);
      if (terminal.isTTY === true) terminal.setRawMode?.(false);
      output.write(PASTES_AS_KEYS);
    },
  };

  /** The end of a paste that began too early must come first. */
  function settle(): void {
    isSettled = pasted === undefined;
  }

  function take(text: string | undefined, key: PressedKey): void {
    if (key.ctrl === true && key.name === 'c') {
      interrupts += 1;
      keys.emit('keypress', text, key);
      return;
    }
    // Who reads the keys would stop the process, and leave the terminal as it is.
    if (key.ctrl === true && key.name === 'z') return;
    const whole = collectPaste(key);
    if (!isSettled) drop();
    else if (whole !== undefined) insert(whole);
    else if (pasted !== undefined) return;
    // It would close what reads the keys, and the prompt would wait for ever.
    else if (key.ctrl === true && key.name === 'd') onEnd();
    else keys.emit('keypress', text, key);
  }

  /** Answers all that was pasted once its end is there. */
  function collectPaste({ name, sequence = '' }: PressedKey): string | undefined {
    const before = pasted;
    if (name === 'paste-start') pasted = '';
    else if (name === 'paste-end') pasted = undefined;
    else if (pasted !== undefined) pasted += sequence;
    return name === 'paste-end' ? toOneLine(before ?? '') : undefined;
  }

  function drop(): void {
    if (!hasRung) output.write(BELL);
    hasRung = true;
    callOff();
    callOff = clock.after(PAUSE_MS, settle);
  }

  function insert(text: string): void {
    // The prompt takes a key whose text is this word for the key of this name.
    const pieces = text === 'escape' ? text : [text];
    for (const piece of pieces) if (piece !== '') keys.emit('keypress', piece, { sequence: piece });
  }

  /** The process may end in the middle of a question. */
  function giveBack(): void {
    output.write(PASTES_AS_KEYS + SHOW_CURSOR);
  }
}

function toOneLine(text: string): string {
  return text
    .replace(/[\r\n]+$/, '')
    .replace(/\r\n|[\r\n\t]/g, ' ')
    .replace(/[\x00-\x1f\x7f]/g, '');
}
