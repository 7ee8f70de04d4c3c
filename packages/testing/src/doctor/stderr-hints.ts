const MAX_LINE_CHARS = 1_000;
/** Names of packages and nothing that a shell would act on: what is shown may be pasted. */
const PACKAGE = /^(?:@[\w.-]+\/)?\w[\w.-]*$/;

/** What lines on stderr mean, and what to do: the first that fits. */
const hints: readonly { readonly seen: RegExp; readonly fix: (match: RegExpExecArray) => string }[] = [
  {
    seen: /(?:Cannot find (?:module|package)|Could not resolve) ['"]([^'"]{1,200})['"]/,
    fix: ([, name = '']) => {
      if (/^(?:[./\\]|[A-Za-z]:|file:)/.test(name))
        return 'There is no such file: correct the path in the command, or build the server first.';
      return PACKAGE.test(name)
        ? `Install what it needs where the server is: npm install ${name}`
        : 'Install the module that the message names.';
    },
  },
  {
    seen: /(?:ModuleNotFoundError: )?No module named ['"]?([\w.]{1,200})/,
    fix: ([, name = '']) =>
      `Install ${name} for the interpreter that the command names, as with: python -m pip install ` +
      `${name.split('.')[0]}`,
  },
  {
    seen: /can't open file /,
    fix: () => 'There is no such file: correct the path in the command.',
  },
  {
    seen: /npm (?:error|ERR!)[^\n]*\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|network)\b/,
    fix: () =>
      'npx could not reach the registry: look at the network and at npm config get proxy, or install the package ' +
      'once and start it with node.',
  },
  {
    seen: /npm (?:error|ERR!)[^\n]*\bENOTCACHED\b/,
    fix: () =>
      'npx is offline and has not kept the package: go online once, or install the package and start it with node.',
  },
  {
    seen: /npm (?:error|ERR!)[^\n]*\b(?:E404|404 Not Found)\b/,
    fix: () => 'The registry has no such package: correct its name in the command.',
  },
  {
    seen: /could not determine executable to run/,
    fix: () => 'The package has no program of its own: name the one to start, as with npx -p PACKAGE PROGRAM.',
  },
  {
    seen: /(?:ReferenceError|NameError|SyntaxError|IndentationError): (?!Unexpected)/,
    fix: () => 'This is a defect of the program itself: mend the line that its trace names.',
  },
  {
    seen: /KeyError: ['"]([A-Z][A-Z0-9_]{2,60})['"]/,
    fix: ([, name = '']) => variableFix(name),
  },
  {
    seen: /\b((?!ERR_|UND_|MODULE_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b[^\n]{0,80}(?:\bnot (?:set|defined|found|provided)\b|\brequired\b|\bmissing\b|\bmust be\b|\bundefined\b|\bempty\b)/,
    fix: ([, name = '']) => variableFix(name),
  },
  {
    seen: /(?:\b[Mm]issing|\b[Rr]equired|\b[Rr]equires|\b[Pp]rovide|\b[Ss]et)\b[^\n]{0,80}?\b((?!ERR_|UND_|MODULE_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/,
    fix: ([, name = '']) => variableFix(name),
  },
  {
    seen: /EADDRINUSE[^\n]*?(?::(\d{1,5}))?\s*(?:\n|$)/,
    fix: ([, port = '']) =>
      `${port === '' ? 'The port' : `Port ${port}`} is taken, perhaps by an earlier start of the same server: ` +
      'end that one, or give another port.',
  },
  {
    seen: /Unknown file extension "\.(ts|tsx)"/,
    fix: () => 'This Node runs no TypeScript: start the server with tsx, or build it and start the JavaScript.',
  },
  {
    seen: /Unsupported engine|requires Node|node: bad option|SyntaxError: Unexpected (?:token|identifier)/,
    fix: () =>
      'The server may need a newer Node than the one in PATH: compare node --version with what its package asks for.',
  },
  {
    seen: /heap out of memory|MemoryError/,
    fix: () => 'It ran out of memory: give it more, or less to do when it starts.',
  },
  {
    seen: /EACCES|[Pp]ermission denied/,
    fix: () => 'It may not use a file that it needs: look at the permissions of what the message names.',
  },
  {
    seen: /command not found|: not found/,
    fix: () => 'A script of the command calls a program that is not in PATH: install that, or give PATH with --env.',
  },
];

/** Answers what to do about what a process wrote to stderr; `undefined` where nothing is known. */
export function fixForStderr(lines: readonly string[]): string | undefined {
  const text = lines.map((line) => line.slice(0, MAX_LINE_CHARS)).join('\n');
  for (const { seen, fix } of hints) {
    const match = seen.exec(text);
    if (match !== null) return fix(match);
  }
  return undefined;
}

/** The lines that say most: a stack trace of Python ends in its error, one of Node begins with it. */
export function tellingLines(lines: readonly string[]): readonly string[] {
  const frames = /^\s+(?:at |File "|\^|node:)|^\s*$/;
  const telling = lines.filter((line) => !frames.test(line));
  return (telling.length === 0 ? lines : telling).slice(-8);
}

/** A server that is started inherits almost nothing, which is the usual reason. */
function variableFix(name: string): string {
  return (
    `The server gets only the variables that it is given. Pass it on: --env ${name} (or --env ${name}=…), ` +
    'or put it under env in the configuration.'
  );
}
