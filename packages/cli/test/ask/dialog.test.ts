import { setImmediate as turn } from 'node:timers/promises';
import { PassThrough, Writable } from 'node:stream';
import type { UrlAsk } from '@switchyard/client';
import { describe, expect, it } from 'vitest';
import { askPage } from '../../src/ask/ask-page.ts';
import { createClackDialog } from '../../src/ask/clack-dialog.ts';
import { choose } from '../../src/ask/choose.ts';
import { createTerminal } from '../../src/terminal.ts';
import { ENTER, quietClock } from './typing-person.ts';

function openDialog(clock = quietClock) {
  const notes: string[] = [];
  let shown = '';
  const input = new PassThrough();
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown += chunk.toString();
      done();
    },
  });
  const dialog = createClackDialog(
    { input, output, interrupt: () => undefined, clock },
    { note: (text) => void notes.push(text), warn: (text) => void notes.push(`warning: ${text}`) },
  );
  return { dialog, notes, input, shown: () => shown };
}

function pageAsk(completed: Promise<void> | undefined, signal: AbortSignal): UrlAsk {
  return {
    kind: 'url',
    server: 'bank',
    trust: 'untrusted',
    revision: '2025-11-25',
    interrupts: undefined,
    round: 1,
    key: '1',
    signal,
    message: 'Log in',
    url: 'http://me@bank.example:8080/@x?y',
    host: 'bank.example:8080',
    concerns: ['not-https', 'userinfo'],
    completed,
  };
}

const CLEAR = '\u0015';
const options = { openBrowser: () => Promise.resolve(), emphasise: (text: string) => `<${text}>` };

describe('a page', () => {
  it('is done with when the server says so, without a key', async () => {
    const { dialog, notes, input } = openDialog();
    const completed = Promise.withResolvers<void>();
    const answered = askPage(dialog, pageAsk(completed.promise, new AbortController().signal), options);
    await turn();
    input.write(`y${ENTER}`);
    await turn();
    completed.resolve();
    expect(await answered).toEqual({ action: 'accept' });
    expect(notes.at(-1)).toBe('The server says that the page is done with.');
  });

  it('emphasises its host, not what stands before or behind it, and says what is doubtful', async () => {
    const { dialog, notes, input } = openDialog();
    const answered = askPage(dialog, pageAsk(undefined, new AbortController().signal), options);
    await turn();
    input.write(`d${ENTER}`);
    expect(await answered).toEqual({ action: 'decline' });
    expect(notes[0]).toContain('\n\nhttp://me@<bank.example:8080>/@x?y\n');
    expect(notes.slice(1, 3)).toEqual([
      expect.stringMatching(/^warning: The page is not encrypted/),
      expect.stringMatching(/^warning: Something stands before an @/),
    ]);
  });
});

describe('a question', () => {
  it('that is taken back closes its prompt and rejects with the reason', async () => {
    const { dialog, input } = openDialog();
    const taken = new AbortController();
    const answered = dialog.line({ message: 'Name?', check: () => undefined }, taken.signal);
    await turn();
    taken.abort(new Error('taken back'));
    await expect(answered).rejects.toThrow('taken back');
    expect(input.listenerCount('keypress')).toBe(0);
  });

  it('leaves the terminal alone once it is answered, whatever becomes of its signal', async () => {
    const { dialog, input, shown } = openDialog();
    const later = new AbortController();
    const answered = choose(dialog, { message: 'Go on?', letters: { y: 'yes', n: 'no' } }, later.signal);
    await turn();
    input.write(`y${ENTER}`);
    expect(await answered).toBe('y');
    const before = shown();
    later.abort();
    await turn();
    expect(shown()).toBe(before);
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['Escape', '\u001b'],
  ])('is given up with %s', async (_, pressed) => {
    const { dialog, input } = openDialog();
    const never = new AbortController().signal;
    const line = dialog.line({ message: 'Name?', check: () => undefined }, never);
    await turn();
    input.write(pressed);
    expect(await line).toBeUndefined();
  });

  it('is given up where the terminal goes away', async () => {
    const { dialog, input } = openDialog();
    const answered = dialog.line({ message: 'Name?', check: () => undefined }, new AbortController().signal);
    await turn();
    input.end();
    expect(await answered).toBeUndefined();
  });

  it('with letters takes one of them and Enter; neither alone, and nothing else', async () => {
    const { dialog, input, shown } = openDialog();
    const letters = { y: 'yes', x: 'no' };
    let ended = false;
    const answered = choose(dialog, { message: 'Go on?', letters }, new AbortController().signal);
    void answered.then(() => (ended = true));
    await turn();
    for (const typed of [ENTER, `q${ENTER}`, `${CLEAR}yx${ENTER}`, `${CLEAR}y`, `${CLEAR} X`]) {
      input.write(typed);
      await turn();
      expect(ended).toBe(false);
    }
    input.write(ENTER);
    expect(await answered).toBe('x');
    expect(shown()).toContain('Write y or x.');
  });

  it('quotes a long text within bounds, so that who asks stays on the screen', () => {
    const { dialog, notes } = openDialog();
    dialog.quote('line\n'.repeat(2000));
    expect(notes).toHaveLength(41);
    expect(notes.at(-1)).toBe('  | … and 1961 more lines');
  });
});

describe('the terminal', () => {
  it('shows no progress while somebody is asked', async () => {
    let written = '';
    const output = { write: (text: string) => void (written += text), isTerminal: true, columns: 80 };
    const terminal = createTerminal(
      {
        stdout: output,
        stderr: output,
        env: {},
        cwd: '/',
        signal: new AbortController().signal,
        invocation: 'switchyard',
      },
      false,
    );
    await terminal.dialog(async () => terminal.progress('half'));
    expect(written).toBe('');
    terminal.progress('all');
    expect(written).toContain('all');
  });
});
