import { basename } from 'node:path';
import { cleanText } from '@switchyard/guards';
import { isJsonObject, parseJson } from '@switchyard/protocol';
import { secretsOfHeader } from '../http/secrets-of.ts';
import type { HeaderFields } from '../message/connection.ts';
import { createMask } from '../peer/mask-secrets.ts';
import type { HeadersCommand } from './headers-command.ts';
import { runCommand } from './run-command.ts';
import { secretsIn } from './secrets-in.ts';
import { stderrExcerpt } from './stderr-excerpt.ts';

const MAX_SHOWN_CHARS = 500;
/** A shorter word of stdout is no credential, and would cut a message to pieces. */
const MIN_SECRET_CHARS = 4;

/**
 * Answers a function for the option `headers` that starts a command and reads the headers that it prints on stdout: one
 * JSON object of texts such as `{"authorization":"Bearer …"}`, at most 64 KiB. It is read when the command has ended;
 * what the command leaves behind is neither waited for nor ended. It rejects with an `Error` where the command fails,
 * takes too long or prints something else. The message names the program and shows the end of what it wrote to stderr,
 * however much that is, without secrets; it holds nothing of its arguments and of what it printed on stdout, in whatever
 * form stderr says that.
 */
export function headersFromCommand(command: HeadersCommand): () => Promise<HeaderFields> {
  return async () => {
    const { stdout, stderr, failure } = await runCommand(command);
    const said = describeStderr(stderr, stdout);
    if (failure === undefined) return readHeaders(stdout, said);
    const name = JSON.stringify(basename(command.command));
    throw new Error(`the command ${name}, which prints headers, ${failure}.${said}`);
  };
}

function describeStderr(stderr: string, stdout: string): string {
  const mask = createMask(secretsOfOutput(stdout), { minChars: MIN_SECRET_CHARS });
  const text = cleanText(stderrExcerpt({ stderrTail: () => stderr }, mask), { maxChars: Infinity });
  if (text === '') return '';
  return ` It wrote to stderr: ${text.length > MAX_SHOWN_CHARS ? `…${text.slice(-MAX_SHOWN_CHARS)}` : text}`;
}

/** All that it printed may be a credential: as it is written, and as a program says it that read it. */
function secretsOfOutput(stdout: string): string[] {
  const texts = textsIn(stdout);
  return [
    ...[stdout, ...texts.map(([, text]) => text)].flatMap((text) => text.split(/[\s"':,{}]+/)),
    ...texts.flatMap(([name, text]) => secretsOfHeader(name, text)),
    // What is no JSON may be lines of headers all the same.
    ...secretsIn(stdout, 'headers'),
  ];
}

/** The texts of JSON with their names, however deep; none where it is no JSON. */
function textsIn(json: string): readonly (readonly [name: string, text: string])[] {
  const found: [name: string, text: string][] = [];
  try {
    JSON.parse(json, (name, value: unknown) => {
      if (typeof value === 'string') found.push([name, value]);
      return value;
    });
  } catch {
    // Then it is masked as it is written.
  }
  return found;
}

function readHeaders(text: string, said: string): HeaderFields {
  const fields: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(parse(text, said))) {
    if (typeof value !== 'string') throw notHeaders(said);
    fields[name] = value;
  }
  return fields;
}

function parse(text: string, said: string): object {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // The parser's message quotes what was printed.
  }
  if (!isJsonObject(value)) throw notHeaders(said);
  return value;
}

function notHeaders(said: string): Error {
  return new Error(
    'the command that prints headers must print one JSON object whose values are texts, and nothing else, such as ' +
      `{"authorization":"Bearer …"}; a token alone is none.${said}`,
  );
}
