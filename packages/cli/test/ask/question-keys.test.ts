import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '@switchyard/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClackDialog } from '../../src/ask/clack-dialog.ts';
import { ENTER } from './typing-person.ts';

const CTRL_C = '\u0003';
const BELL = '\u0007';
const never = new AbortController().signal;
const anything = { message: 'Comment?', check: () => undefined };

/** A clock that stands until it is moved. */
function standingClock() {
  let time = 0;
  let waiting: { readonly at: number; readonly task: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    after(delayMs, task) {
      const timer = { at: time + delayMs, task };
      waiting.push(timer);
      return () => {
        waiting = waiting.filter((other) => other !== timer);
      };
    },
  };
  return {
    clock,
    pass(ms: number) {
      time += ms;
      const due = waiting.filter(({ at }) => at <= time);
      waiting = waiting.filter(({ at }) => at > time);
      for (const { task } of due) task();
    },
    waiting: () => waiting.length,
  };
}

function sitDown() {
  const { clock, pass, waiting } = standingClock();
  const input = new PassThrough();
  let shown = '';
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown += chunk.toString();
      done();
    },
  });
  const dialog = createClackDialog(
    { input, output, interrupt: () => undefined, clock },
    { note: () => undefined, warn: () => undefined },
  );
  const type = async (text: string): Promise<void> => {
    input.write(text);
    await turn();
  };
  return { dialog, input, type, pass, waiting, shown: () => shown };
}

function paste(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}

describe('what is typed', () => {
  it('ahead for the next field of a form counts at once', async () => {
    const { dialog, type, shown } = sitDown();
    const answered = dialog.line({ ...anything, isNext: true }, never);
    await type(`typed ahead${ENTER}`);
    expect(await answered).toBe('typed ahead');
    expect(shown()).not.toContain(BELL);
  });

  it('before a question was there for a moment is dropped, with a bell, until there was a pause', async () => {
    const { dialog, type, pass, shown } = sitDown();
    const answered = dialog.line(anything, never);
    for (const typed of ['meant for ', `another${ENTER}`, ENTER]) {
      await type(typed);
      pass(299);
    }
    await type('x');
    pass(300);
    await type(`mine${ENTER}`);
    expect(await answered).toBe('mine');
    expect(shown().split(BELL)).toHaveLength(2);
  });

  it('behind the Enter of one question is no answer to the next', async () => {
    const { dialog, type, pass } = sitDown();
    const first = dialog.line(anything, never);
    pass(300);
    await type(`one${ENTER}a${ENTER}`);
    expect(await first).toBe('one');
    const second = dialog.line(anything, never);
    await type(`a${ENTER}`);
    pass(300);
    await type(`two${ENTER}`);
    expect(await second).toBe('two');
  });

  it('for a question that is taken back is no answer to the next', async () => {
    const { dialog, type, pass } = sitDown();
    const taken = new AbortController();
    const first = dialog.line(anything, taken.signal);
    pass(300);
    await type('We flew to Rome');
    taken.abort(new Error('taken back'));
    await expect(first).rejects.toThrow('taken back');
    await type(`a${ENTER}`);
    const second = dialog.line(anything, never);
    await type(`a${ENTER}`);
    pass(300);
    await type(`two${ENTER}`);
    expect(await second).toBe('two');
  });

  it.each([['at once'], ['within a paste without an end']])('as Ctrl-C counts %s', async (when) => {
    const { dialog, type } = sitDown();
    const answered = dialog.line(anything, never);
    await type(when === 'at once' ? CTRL_C : `\u001b[200~text${CTRL_C}`);
    expect(await answered).toBeUndefined();
  });
});

describe('what is pasted', () => {
  it.each([
    ['one\rtwo\r\nthree\nfour', 'one two three four'],
    ['copied with its end\n', 'copied with its end'],
    ['tab\tescape\u001b[31mred', 'tab escape[31mred'],
    ['escape', 'escape'],
    ['', ''],
    [`first line\r${'z'.repeat(9000)}a${'z'.repeat(3000)}`, `first line ${'z'.repeat(9000)}a${'z'.repeat(3000)}`],
  ])('is one text, which sends nothing (%#)', async (pasted, line) => {
    const { dialog, type, pass } = sitDown();
    const answered = dialog.line(anything, never);
    pass(300);
    await type(`<${paste(pasted)}>`);
    await type(ENTER);
    expect(await answered).toBe(`<${line}>`);
  });

  it('is one text wherever it is cut in two', async () => {
    const whole = paste('a\rb');
    for (let at = 1; at < whole.length; at += 1) {
      const { dialog, type, pass } = sitDown();
      const answered = dialog.line(anything, never);
      pass(300);
      await type(whole.slice(0, at));
      await type(`${whole.slice(at)}${ENTER}`);
      expect(await answered, `cut at ${at}`).toBe('a b');
    }
  });

  it('too early is dropped to its end, however long that takes', async () => {
    const { dialog, type, pass } = sitDown();
    const answered = dialog.line(anything, never);
    await type('\u001b[200~one');
    pass(1000);
    await type(`a${ENTER}`);
    pass(1000);
    await type(`two\u001b[201~`);
    pass(300);
    await type(`mine${ENTER}`);
    expect(await answered).toBe('mine');
  });
});

describe('the terminal', () => {
  it.each([
    ['an answer', ENTER],
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', '\u0004'],
  ])('brackets pastes and is raw until %s', async (_, typed) => {
    const { dialog, input, type, pass, waiting, shown } = sitDown();
    const raw: boolean[] = [];
    Object.assign(input, { isTTY: true, setRawMode: (isRaw: boolean) => raw.push(isRaw) });
    const exits = process.listenerCount('exit');
    const answered = dialog.line(anything, never);
    expect(shown()).toContain('\u001b[?2004h');
    expect(raw.at(-1)).toBe(true);
    if (typed !== CTRL_C) pass(300);
    await type(typed);
    await answered;
    expect(shown().endsWith('\u001b[?2004l')).toBe(true);
    expect(raw.at(-1)).toBe(false);
    expect([process.listenerCount('exit') - exits, input.listenerCount('keypress'), waiting()]).toEqual([0, 0, 0]);
  });

  it('is given back where the process ends in the middle of a question', async () => {
    const { dialog, shown } = sitDown();
    const before = new Set(process.listeners('exit'));
    const end = new AbortController();
    const answered = dialog.line(anything, end.signal);
    onTestFinished(async () => {
      end.abort();
      await answered.catch(() => undefined);
    });
    for (const listener of process.listeners('exit')) if (!before.has(listener)) listener(0);
    expect(shown().endsWith('\u001b[?2004l\u001b[?25h')).toBe(true);
  });
});
