import { basename } from 'node:path';

/** Programs that run another one, which their arguments name. */
const LAUNCHER =
  /^(?:node(?:js)?|bun|bunx|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|npx|pnpx|npm|pnpm|yarn|uv|uvx|pipx)(?:\.(?:exe|cmd))?$/i;

/** Words of launchers that stand before what they run. */
const LAUNCHER_VERBS = /^(?:run|exec|dlx|x|tool)$/;

/** Options of launchers whose value is the next word. */
const VALUED_OPTIONS = /^(?:-[rC]|--(?:require|import|loader|conditions|env-file|package|from|with|python))$/;

/** Options that hold a program's text themselves. */
const INLINE_OPTIONS = /^(?:-[ec]|--eval)$/;

const NAME = /^[\w@.+-]{1,64}$/;

/**
 * Answers what messages call a server that a command line starts: the file name of its program or, where that only runs
 * another one as `node server.js` and `npx -y @scope/server` do, of what it runs.
 */
export function serverNameOf(command: string, args: readonly string[]): string {
  const program = basename(command);
  const script = LAUNCHER.test(program) ? scriptIn(args) : undefined;
  const name = script === undefined ? '' : basename(script);
  return NAME.test(name) ? name : program;
}

function scriptIn(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string;
    if (INLINE_OPTIONS.test(word)) return undefined;
    if (VALUED_OPTIONS.test(word)) at += 1;
    else if (!word.startsWith('-') && !LAUNCHER_VERBS.test(word)) return word;
  }
  return undefined;
}
