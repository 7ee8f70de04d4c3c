import { PassThrough } from 'node:stream';
import { type FormAsk, untilAborted } from '@switchyard/client';
import { describe, expect, it } from 'vitest';
import type { Dialog } from '../../src/ask/dialog.ts';
import { createPersonInput } from '../../src/ask/person-input.ts';
import { createTerminal } from '../../src/terminal.ts';

/** Somebody who never answers, and how his command is ended. */
function sitIdle() {
  const told: string[] = [];
  const said: string[] = [];
  const run = new AbortController();
  const shown = Promise.withResolvers<void>();
  const dialog: Dialog = {
    tell: (text) => void told.push(text),
    quote: () => undefined,
    warn: (text) => void said.push(text),
    line(_question, signal) {
      shown.resolve();
      return untilAborted(signal, new Promise<never>(() => undefined));
    },
  };
  const output = { write: () => undefined, isTerminal: true, columns: 80 };
  const surroundings = { env: {}, cwd: '/', signal: run.signal, stdout: output, stderr: output, invocation: 'x' };
  const { elicitForm } = createPersonInput({
    person: { input: new PassThrough(), output: new PassThrough(), interrupt: () => undefined },
    terminal: createTerminal(surroundings, false),
    env: {},
    signal: run.signal,
    wanted: undefined,
    dialog,
  });
  return { ask: (ask: FormAsk) => elicitForm?.(ask), told, said, run, shown: shown.promise };
}

function formAsk(signal: AbortSignal): FormAsk {
  return {
    kind: 'form',
    server: 'bank',
    trust: 'untrusted',
    revision: '2025-11-25',
    interrupts: undefined,
    round: 1,
    key: '1',
    signal,
    message: 'Where to?',
    fields: [],
    sensitive: [],
    requestedSchema: { type: 'object', properties: {} },
    prefill: () => ({}),
  };
}

it('is shown the values that a field without choices allows', async () => {
  const { ask, told, shown } = sitIdle();
  const over = new AbortController();
  const answered = ask({
    ...formAsk(over.signal),
    fields: [
      {
        name: 'level',
        type: 'integer',
        title: 'Level',
        description: undefined,
        isRequired: true,
        default: undefined,
        options: undefined,
        format: undefined,
      },
    ],
    requestedSchema: { type: 'object', properties: { level: { type: 'integer', enum: [10, 20] } } },
  });
  await shown;
  expect(told.at(-1)).toBe('  One of 10, 20');
  over.abort(new Error('over'));
  await expect(answered).rejects.toThrow('over');
});

describe('a question that is taken back', () => {
  it('is said to be so, and that nothing was sent', async () => {
    const { ask, said, shown } = sitIdle();
    const taken = new AbortController();
    const answered = ask(formAsk(taken.signal));
    await shown;
    taken.abort(new Error('taken back'));
    await expect(answered).rejects.toThrow('taken back');
    expect(said).toEqual(['The question was taken back; nothing was sent.']);
  });

  it('before it was shown is not spoken of', async () => {
    const { ask, said } = sitIdle();
    await expect(ask(formAsk(AbortSignal.abort(new Error('taken back'))))).rejects.toThrow('taken back');
    expect(said).toEqual([]);
  });

  it('because the command ends is not spoken of either', async () => {
    const { ask, said, run, shown } = sitIdle();
    const answered = ask(formAsk(run.signal));
    await shown;
    run.abort(new Error('interrupted'));
    await expect(answered).rejects.toThrow('interrupted');
    expect(said).toEqual([]);
  });
});
