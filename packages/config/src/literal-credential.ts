import { renderPath, type KeyPath } from './problem.ts';
import type { Report } from './report.ts';
import type { SourceNode } from './source-node.ts';
import { literalText, parseTemplate } from './template.ts';

/** Answers what kind of credential a text holds, or undefined. `kind` is shown to people, so it names no secret. */
export type FindCredential = (text: string) => { readonly kind: string } | undefined;

/** A text of a server entry that others can read: command lines stand in process lists, URLs in logs. */
export interface ExposedText {
  readonly node: SourceNode;
  /** The argument before, since `--token` and its value may stand apart. */
  readonly previous?: SourceNode | undefined;
  readonly path: KeyPath;
  readonly place: 'command line' | 'url';
}

/**
 * Warns of a credential that stands literally in a command line or a URL, with the safe form. What variables hold is
 * not looked at, and the credential itself is never repeated. A password before the `@` of a URL counts without a
 * detector.
 */
export function warnOfCredential(
  text: ExposedText,
  context: { readonly findCredential: FindCredential | undefined; readonly report: Report },
): void {
  const literal = literalOf(text.node);
  if (literal === undefined) return;
  const kind = kindOf(literal, text, context.findCredential);
  if (kind === undefined) return;
  const message = `a credential (${kind}) stands literally in ${renderPath(text.path)}`;
  if (text.place === 'url') {
    const suggestion = 'URLs stand in logs: move it to headers, such as Authorization: Bearer ${NAME}';
    context.report.warn(text.node.at, text.path, message, suggestion);
  } else {
    const suggestion = 'command lines stand in process lists: move it to env, as NAME: ${NAME}';
    context.report.warn(text.node.at, text.path, message, suggestion);
  }
}

function kindOf(literal: string, text: ExposedText, find: FindCredential | undefined): string | undefined {
  const found = find?.(literal);
  if (found !== undefined) return found.kind;
  if (hasPassword(literal)) return 'password in a URL';
  const flag = literalOf(text.previous);
  if (find === undefined || flag === undefined || !/^-[^=\s]*$/.test(flag)) return undefined;
  // A detector that already takes the flag alone for a credential says nothing about the value.
  return find(flag) === undefined ? find(`${flag} ${literal}`)?.kind : undefined;
}

function hasPassword(url: string): boolean {
  const userinfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(url)?.[1] ?? '';
  return userinfo.replace(/^[^:]*:?/, '') !== '';
}

function literalOf(node: SourceNode | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? literalText(parseTemplate(node.value)) : undefined;
}
