/** A place in a text. Lines and columns count from 1, columns in UTF-16 units; 0 and 0 mean "no place in a text". */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The keys and list indices that lead from the top of a configuration to a value. */
export type KeyPath = readonly (string | number)[];

/**
 * One thing that is wrong, or worth a warning, in a configuration.
 *
 * `line` and `column` are 0 where no text is at fault (a missing file, a value that came from code). `message` says
 * what is wrong and where in the tree; `suggestion` how to mend it. Neither ever holds a value of the environment, nor
 * a text that a credential detector pointed at. Keys are cut as {@link shownKey} says, in `path`, too.
 */
export interface Problem extends Position {
  /** The file as its reader named it. */
  readonly file: string;
  readonly path: KeyPath;
  readonly message: string;
  readonly suggestion?: string;
}

const MAX_QUOTED_CHARACTERS = 64;

/** A piece of foreign text made fit for one line of a terminal: in quotes, cut, with invisible characters escaped. */
export function quote(text: string): string {
  const cut = text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
  return escapeInvisible(JSON.stringify(cut));
}

function escapeInvisible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/**
 * A key as a problem may show it: up to the first colon, equals sign or space, and under `env` and `headers` up to the
 * first character that no name has. `{ TOKEN:value }`, without a space, is one key that holds the value, too, and so is
 * `{ TOKEN value }`.
 */
export function shownKey(key: string, parent: KeyPath): string {
  const place = parent.at(-1);
  const end = key.search(endOfName(place));
  return end < 0 ? key : `${key.slice(0, end)}…`;
}

function endOfName(place: string | number | undefined): RegExp {
  if (place === 'env' || place === 'headers') return /[^A-Za-z0-9_.-]/;
  // Somebody chose these names, and they may hold spaces.
  return place === 'mcpServers' || place === 'agents' ? /[:=]/ : /[:=\s]/;
}

/** A path as people write it: `mcpServers.orders.args[0]`, or `the top level` for the empty one. */
export function renderPath(path: KeyPath): string {
  if (path.length === 0) return 'the top level';
  let text = '';
  for (const [index, key] of path.entries()) {
    const segment = typeof key === 'number' ? key : shownKey(key, path.slice(0, index));
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (/^[\p{L}\p{N}_$-]{1,64}$/u.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `[${quote(segment)}]`;
  }
  return text;
}

/** Where a key stands, as part of a sentence: `in mcpServers.orders`, or `at the top level`. */
export function renderPlace(path: KeyPath): string {
  return path.length === 0 ? 'at the top level' : `in ${renderPath(path)}`;
}

/** One line for a problem or a warning: `switchyard.yaml:12:5 unknown key "comand" …; did you mean "command"?`. */
export function renderProblem(problem: Problem): string {
  const place = problem.line > 0 ? `:${problem.line}:${problem.column}` : ':';
  const mending = problem.suggestion === undefined ? '' : `; ${problem.suggestion}`;
  return `${escapeInvisible(problem.file)}${place} ${problem.message}${mending}`;
}
