import type { Command } from 'commander';
import { usageFailure } from '../failure.ts';

/** One verb as a shell completes it. */
interface Word {
  /** The words that lead to it, such as `audit list`. */
  readonly path: string;
  readonly description: string;
  /** What may follow: verbs, and long options. */
  readonly verbs: readonly string[];
  readonly options: readonly string[];
}

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Answers the completion script for a shell, made from the declared command line. Throws a usage failure for another shell. */
export function completionScript(shell: string, program: Command): string {
  if (!Object.hasOwn(shells, shell)) {
    throw usageFailure(
      `There is no completion for ${JSON.stringify(shell)}. The shells are ${Object.keys(shells).join(', ')}.`,
    );
  }
  const words = wordsOf(program, '');
  const verbs = program.commands.map((verb) => verb.name());
  const help = { path: 'help', description: 'print help for a verb', verbs, options: [] };
  return shells[shell as keyof typeof shells]([...words, help]);
}

function wordsOf(command: Command, path: string): readonly Word[] {
  const verbs = command.commands.map((verb) => verb.name());
  const own: Word = {
    path,
    description: command.description(),
    verbs: path === '' ? [...verbs, 'help'] : verbs,
    options: [...command.options.map(({ long, short }) => long ?? short ?? ''), '--help'].filter(
      (option) => option !== '',
    ),
  };
  return [own, ...command.commands.flatMap((verb) => wordsOf(verb, `${path} ${verb.name()}`.trim()))];
}

function bashScript(words: readonly Word[]): string {
  const cases = words.map(
    ({ path, verbs, options }) => `    '${path}') words='${[...verbs, ...options].join(' ')}' ;;`,
  );
  return `_switchyard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${words.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _switchyard switchyard
`;
}

function zshScript(words: readonly Word[]): string {
  return `#compdef switchyard
autoload -U +X bashcompinit && bashcompinit
${bashScript(words)}`;
}

function fishScript(words: readonly Word[]): string {
  const byPath = new Map(words.map((word) => [word.path, word]));
  const lines = words.flatMap(({ path, verbs, options }) => {
    const condition =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map((verb) => `__fish_seen_subcommand_from ${verb}`)
            .join('; and ');
    const forVerbs = verbs.map((verb) => {
      const description = byPath.get(`${path} ${verb}`.trim())?.description ?? '';
      return `complete -c switchyard -f -n '${condition}' -a ${verb} -d '${description.replaceAll("'", '’')}'`;
    });
    const forOptions = options.map(
      (option) => `complete -c switchyard -n '${condition}' -l ${option.replace(/^--/, '')}`,
    );
    return [...forVerbs, ...forOptions];
  });
  return `${lines.join('\n')}\n`;
}
