import { SpawnError } from '@switchyard/guards/node';

import type { DoctorSite } from '../doctor-site.ts';
import type { DoctorStep } from '../doctor-step.ts';
import { cause, type Finding, ok } from '../finding.ts';
import { listeningFix, listeningUrl } from '../listening-url.ts';
import { fixForStderr, tellingLines } from '../stderr-hints.ts';

/** Whether the process starts, and stays until it has answered. */
export const startStep: DoctorStep = {
  id: 'start',
  question: 'Does the process start?',
  transport: 'stdio',
  async run(site) {
    try {
      const { era } = await site.contact();
      const process = site.process();
      const exit = process?.exit();
      if (era !== undefined || exit === undefined || process === undefined) return ok('The process runs.');
      return ended(site, exit, tellingLines(process.stderr()));
    } catch (error) {
      if (!(error instanceof SpawnError)) throw error;
      const [what, ...advice] = error.message.split(': ');
      return cause(
        'The process could not be started.',
        [site.excerpt(`${error.systemCode ?? error.code}: ${error.message}`, 500)],
        fixOf(error, what ?? '', advice.at(-1)),
      );
    }
  },
};

/** The message of a SpawnError ends in what to do. */
function fixOf({ code }: SpawnError, what: string, advice: string | undefined): string {
  switch (code) {
    case 'command-not-found':
      return (
        'Correct the command, install the program, or give its full path; a command is split at spaces and ' +
        'quotes, and no shell reads it.'
      );
    case 'not-executable':
      return what.endsWith('is a folder')
        ? 'Give the program that is to be started, such as node with a file of that folder: node server.js'
        : 'Make it executable with chmod +x, or start it through its interpreter, as with: node server.js';
    default:
      return advice ?? what;
  }
}

function ended(
  site: DoctorSite,
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
  words: readonly string[],
): Finding {
  const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const stray = site.stray();
  const evidence = [
    signal === null ? `exit code ${code}` : `signal ${signal}`,
    ...words.map((line) => `stderr: ${site.excerpt(line)}`),
    ...stray.slice(0, 3).map((line) => `stdout: ${site.excerpt(line)}`),
  ];
  const url = listeningUrl([...words, ...stray]);
  if (url !== undefined && code !== 1)
    return cause(
      `The process ${how} before it answered, and it speaks of a URL.`,
      evidence,
      listeningFix(site.excerpt(url, 150)),
    );
  return cause(`The process ${how} before it answered.`, evidence, fixFor(code, signal, words));
}

function fixFor(code: number | null, signal: string | null, words: readonly string[]): string {
  const known = fixForStderr(words);
  if (known !== undefined) return known;
  if (signal === 'SIGKILL' || code === 137) return 'Something killed it, usually for want of memory: give it more.';
  if (code === 127)
    return 'A script of the command calls a program that is not in PATH: install that, or give PATH with --env.';
  if (code === 0)
    return (
      'A server on stdio stays until its standard input ends: look whether the command needs an argument ' +
      'such as "stdio" or "serve".'
    );
  return words.length === 0
    ? 'Start the command by hand and look at what it says; it wrote nothing to stderr.'
    : 'Mend what it wrote to stderr, or start the command by hand to see all of it.';
}
