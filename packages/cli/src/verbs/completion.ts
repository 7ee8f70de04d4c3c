import type { Command, Option } from 'commander';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { exitCodes } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** What may stand for the value of an option or an argument. */
type Values = 'agents' | 'files' | 'anything' | readonly string[];

/** One option as a shell completes it. */
interface Flag {
  /** Its spellings, such as `-c` and `--config`. */
  readonly spellings: readonly string[];
  readonly description: string;
  /** `undefined` where it takes no value. */
  readonly values: Values | undefined;
}

/** One verb as a shell completes it. */
interface Word {
  /** The words that lead to it, such as `audit list`. */
  readonly path: string;
  readonly description: string;
  /** What may follow: verbs, or the values of its first argument. */
  readonly next: readonly string[];
  readonly flags: readonly Flag[];
}

const scripts: { readonly [S in Shell]: (words: readonly Word[]) => string } = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Answers the completion script for a shell, made from the declared command line. */
export function completionScript(shell: Shell, program: Command): string {
  const words = wordsOf(program, '');
  const next = words[0]?.next.filter((verb) => verb !== 'help') ?? [];
  return scripts[shell]([...words, { path: 'help', description: 'print help for a verb', next, flags: [] }]);
}

/** What no shell acts on: bash expands the words that it completes. */
const PLAIN_WORD = /^[\w.@+-]+$/;

/**
 * Prints the agents of a configuration, one a line, as the scripts ask for them. A name that a shell would act on is
 * left out.
 */
export async function completeAgents(
  config: string | undefined,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  const { configuration } = await loadConfiguration(config, surroundings, { warn: () => undefined });
  const names = Object.keys(configuration.agents).filter((name) => PLAIN_WORD.test(name));
  terminal.result(names, () => names.join('\n'));
  return exitCodes.success;
}

const helpFlag: Flag = { spellings: ['-h', '--help'], description: 'print help', values: undefined };

function wordsOf(command: Command, path: string): readonly Word[] {
  const shown = new Set(command.createHelp().visibleCommands(command));
  const verbs = command.commands.filter((verb) => shown.has(verb));
  const names = verbs.map((verb) => verb.name());
  const own: Word = {
    path,
    description: command.description(),
    next: path === '' ? [...names, 'help'] : [...names, ...(command.registeredArguments[0]?.argChoices ?? [])],
    flags: [...command.options.map(flagOf), helpFlag],
  };
  return [own, ...verbs.flatMap((verb) => wordsOf(verb, `${path} ${verb.name()}`.trim()))];
}

function flagOf(option: Option): Flag {
  const { short, long, description } = option;
  const spellings = [short, long].filter((spelling) => spelling !== undefined);
  return { spellings, description, values: option.required ? valuesOf(option) : undefined };
}

/** The name of the value says what it is. */
function valuesOf({ argChoices, flags }: Pick<Option, 'argChoices' | 'flags'>): Values {
  if (argChoices !== undefined) return argChoices;
  if (flags.includes('<agent>')) return 'agents';
  return /<(?:file|folder)>/.test(flags) ? 'files' : 'anything';
}

function bashScript(words: readonly Word[]): string {
  const verbs = words.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
  const valued = words.flatMap(({ path, flags }) =>
    flags.flatMap(({ spellings, values }) =>
      values === undefined ? [] : [`    ${spellings.map((one) => `'${path} ${one}'`).join('|')}) ${bashOf(values)} ;;`],
    ),
  );
  const plain = words.map(
    ({ path, next, flags }) =>
      `    '${path}') words='${[...next, ...flags.flatMap(({ spellings }) => spellings.slice(-1))].join(' ')}' ;;`,
  );
  return `_switchyard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' config='' last='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${verbs}) path="\${path:+$path }$word" ;;
    esac
    case "$last" in -c|--config) config="$word" ;; esac
    last="$word"
  done
  COMPREPLY=()
  case "$path $before" in
${valued.join('\n')}
    *)
      case "$path" in
${plain.map((line) => `    ${line}`).join('\n')}
      esac
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      ;;
  esac
}
complete -F _switchyard switchyard
`;
}

function bashOf(values: Values): string {
  if (values === 'anything') return ':';
  if (values === 'files') return 'COMPREPLY=($(compgen -f -- "$current"))';
  const words =
    values === 'agents'
      ? '"$("${COMP_WORDS[0]}" complete-agents ${config:+--config "$config"} 2>/dev/null)"'
      : `'${values.join(' ')}'`;
  return `COMPREPLY=($(compgen -W ${words} -- "$current"))`;
}

function zshScript(words: readonly Word[]): string {
  return `#compdef switchyard
autoload -U +X bashcompinit && bashcompinit
${bashScript(words)}`;
}

function fishScript(words: readonly Word[]): string {
  const byPath = new Map(words.map((word) => [word.path, word]));
  const lines = words.flatMap(({ path, next, flags }) => {
    const condition =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map((verb) => `__fish_seen_subcommand_from ${verb}`)
            .join('; and ');
    const start = `complete -c switchyard -n '${condition}'`;
    const forWords = next.map((word) => {
      const description = byPath.get(`${path} ${word}`.trim())?.description ?? '';
      return `${start} -f -a ${word}${described(description)}`;
    });
    const forFlags = flags.map(({ spellings, description, values }) => {
      const names = spellings.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`));
      return [start, ...names, ...(values === undefined ? [] : [fishOf(values)])].join(' ') + described(description);
    });
    return [...forWords, ...forFlags];
  });
  return `${lines.join('\n')}\n`;
}

function fishOf(values: Values): string {
  if (values === 'files') return '-r -F';
  if (values === 'anything') return '-x';
  return values === 'agents' ? "-x -a '(switchyard complete-agents 2>/dev/null)'" : `-x -a '${values.join(' ')}'`;
}

function described(description: string): string {
  return description === '' ? '' : ` -d '${description.replaceAll("'", '’')}'`;
}
