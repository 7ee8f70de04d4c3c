import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { InputHandlers } from '@switchyard/client';
import { usageFailure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Wanted } from '../target/host-target.ts';
import type { Terminal } from '../terminal.ts';

/** The options that say who answers what a server asks for. */
export interface InputFlags {
  /** An object of answers by the key of a question, or `@FILE`. */
  readonly answers?: string;
  /** Folders that the server may know of. */
  readonly root?: readonly string[];
  /** Whether the person at the terminal may be asked; `undefined` for a verb at which no server asks. */
  readonly input?: boolean;
}

/** Who answers, and what there is to say at the end. */
export interface OpenedInput {
  readonly handlers: InputHandlers;
  /** Warns of answers that nothing asked for. */
  finish(): void;
}

/**
 * Answers who answers what a server asks for: `--answers`, else the person at the terminal unless `--no-input` or
 * `--json` was given; with `--root` the folders, too. `undefined` where nobody does. Throws a usage failure, and a
 * failure `file`.
 */
export async function openInput(
  { answers, root = [], input = false }: InputFlags,
  wanted: Wanted | undefined,
  { cwd, env, person, signal }: Surroundings,
  terminal: Terminal,
): Promise<OpenedInput | undefined> {
  const roots = root.length === 0 ? {} : { roots: await folderRoots(root, cwd) };
  if (answers !== undefined) {
    const [{ parseAnswers }, { createScriptedInput }] = await Promise.all([
      import('./parse-answers.ts'),
      import('./scripted-input.ts'),
    ]);
    const { handlers, unasked } = createScriptedInput(await parseAnswers(answers, cwd));
    if (roots.roots !== undefined && handlers.roots !== undefined)
      throw usageFailure('Give the folders with --root or in --answers, not both.');
    return {
      handlers: { ...handlers, ...roots },
      finish() {
        const keys = unasked();
        if (keys.length === 0) return;
        const shown = keys.map((key) => JSON.stringify(key)).join(', ');
        terminal.warn(`--answers: no question had the key ${shown}.`);
      },
    };
  }
  if (person !== undefined && input && !terminal.isJson) {
    const { createPersonInput } = await import('./person-input.ts');
    return {
      handlers: { ...createPersonInput({ person, terminal, env, signal, wanted }), ...roots },
      finish: () => undefined,
    };
  }
  return roots.roots === undefined ? undefined : { handlers: roots, finish: () => undefined };
}

async function folderRoots(folders: readonly string[], cwd: string): Promise<NonNullable<InputHandlers['roots']>> {
  const paths = folders.map((folder) => resolve(cwd, folder));
  for (const [index, path] of paths.entries()) {
    // What cannot be looked at counts as not there.
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() !== true)
      throw usageFailure(`--root ${JSON.stringify(folders[index])} is no folder that is there.`);
  }
  const { createFileRoots } = await import('@switchyard/client/node');
  return createFileRoots(paths);
}
