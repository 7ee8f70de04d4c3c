import { resolve } from 'node:path';
import type { HttpServerConfiguration, ServerConfiguration, StdioServerConfiguration } from './configuration.ts';
import { isHeaderValue } from './header-field.ts';
import { warnOfCredential, type FindCredential } from './literal-credential.ts';
import { quote, renderPath, type KeyPath } from './problem.ts';
import type { Report } from './report.ts';
import { childOf, createRecord, textOf, type MapEntry, type MapNode, type SourceNode } from './source-node.ts';
import { parseTemplate, renderTemplate, type Environment } from './template.ts';

/** What the check of the servers needs from outside. */
export interface ServerContext {
  readonly folder: string;
  readonly env: Environment;
  readonly findCredential: FindCredential | undefined;
  readonly report: Report;
}

type WithoutTimeout<Server> = Server extends ServerConfiguration
  ? Omit<Server, 'timeoutMs'> & { readonly timeoutMs: number | undefined }
  : never;

/** A server entry with its variables replaced; `timeoutMs` is undefined where the entry leaves it to the limits. */
export type ResolvedServer = WithoutTimeout<ServerConfiguration>;

/**
 * Replaces the variables of every server entry and checks what only the replaced text can show: URLs, header values,
 * characters that no process takes. Entries with `disabled: true` are left alone. Whatever the schema already refused
 * is skipped here, so the result is meant to be used only when nothing was refused.
 */
export function checkServers(
  servers: SourceNode | undefined,
  context: ServerContext,
): { servers: Map<string, ResolvedServer>; disabledServers: string[] } {
  const resolved = new Map<string, ResolvedServer>();
  const disabledServers: string[] = [];
  for (const [id, entry] of servers?.kind === 'map' ? servers.entries : []) {
    const node = entry.value;
    if (node.kind !== 'map') continue;
    if (scalarOf(node, 'disabled') === true) disabledServers.push(id);
    else resolved.set(id, resolveServer(node, ['mcpServers', id], context));
  }
  checkUnicodeTwins(servers, context.report);
  return { servers: resolved, disabledServers };
}

function resolveServer(node: MapNode, path: KeyPath, context: ServerContext): ResolvedServer {
  const timeout = scalarOf(node, 'timeoutMs');
  const timeoutMs = typeof timeout === 'number' ? timeout : undefined;
  return textOf(node, 'url') === undefined
    ? { ...resolveProgram(node, path, context), timeoutMs }
    : { ...resolveRemote(node, path, context), timeoutMs };
}

function resolveProgram(
  node: MapNode,
  path: KeyPath,
  context: ServerContext,
): Omit<StdioServerConfiguration, 'timeoutMs'> {
  const text = (key: string): string | undefined => {
    const rendered = render(childOf(node, key), [...path, key], context);
    if (rendered === undefined) return undefined;
    if (rendered.trim() === '') refuseEmpty(node, key, path, context.report);
    return rendered;
  };
  const args: string[] = [];
  const list = childOf(node, 'args');
  const items = list?.kind === 'list' ? list.items : [];
  for (const [index, item] of items.entries()) {
    const where = [...path, 'args', index];
    warnOfCredential({ node: item, previous: items[index - 1], path: where, place: 'command line' }, context);
    args.push(render(item, where, context) ?? '');
  }
  const command = childOf(node, 'command');
  if (command !== undefined) {
    warnOfCredential({ node: command, path: [...path, 'command'], place: 'command line' }, context);
  }
  const cwd = text('cwd') ?? '.';
  warnOfTilde(node, 'cwd', path, context.report);
  warnOfTilde(node, 'command', path, context.report);
  return {
    type: 'stdio',
    command: text('command') ?? '',
    args,
    env: renderRecord(node, 'env', path, context),
    cwd: resolve(context.folder, cwd),
  };
}

function resolveRemote(
  node: MapNode,
  path: KeyPath,
  context: ServerContext,
): Omit<HttpServerConfiguration, 'timeoutMs'> {
  const { report } = context;
  const urlNode = childOf(node, 'url');
  const url = render(urlNode, [...path, 'url'], context);
  if (urlNode !== undefined) {
    warnOfCredential({ node: urlNode, path: [...path, 'url'], place: 'url' }, context);
    // The schema refuses what is empty as written.
    const fault = url === undefined || textOf(node, 'url') === '' ? undefined : faultOfUrl(url);
    if (fault !== undefined) {
      const where = [...path, 'url'];
      report.refuse(urlNode.at, where, `${renderPath(where)} ${fault}`, 'write it as https://host/path');
    }
  }
  const headers = renderRecord(node, 'headers', path, context);
  checkHeaders(node, headers, path, report);
  return { type: 'http', url: url ?? '', headers };
}

/** Answers the text of a node with its variables replaced; undefined where it is no text or was refused. */
function render(node: SourceNode | undefined, path: KeyPath, { env, report }: ServerContext): string | undefined {
  if (node?.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
  const rendered = renderTemplate(parseTemplate(node.value), env);
  if (rendered.text !== undefined) {
    if (!rendered.text.includes('\0')) return rendered.text;
    report.refuse(node.at, path, `${renderPath(path)} holds a NUL character`);
    return undefined;
  }
  for (const name of rendered.unset) {
    const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
    report.refuse(
      node.at,
      path,
      `the variable ${shown} in ${renderPath(path)} is not set`,
      `set it in the environment, or give it a default: \${${shown}:-…}`,
    );
  }
  for (const fault of rendered.faults) {
    report.refuse(
      node.at,
      path,
      `${renderPath(path)} holds ${fault}`,
      'write ${NAME}, ${env:NAME} or ${NAME:-default}; a literal ${ is written $${',
    );
  }
  return undefined;
}

function renderRecord(node: MapNode, key: string, path: KeyPath, context: ServerContext): Record<string, string> {
  const record = createRecord<string>();
  for (const [name, { value }] of entriesOf(node, key)) {
    record[name] = render(value, [...path, key, name], context) ?? '';
  }
  return record;
}

function entriesOf(node: MapNode, key: string): Iterable<[string, MapEntry]> {
  const child = childOf(node, key);
  return child?.kind === 'map' ? child.entries : [];
}

function scalarOf(node: MapNode, key: string): unknown {
  const child = childOf(node, key);
  return child?.kind === 'scalar' ? child.value : undefined;
}

function refuseEmpty(node: MapNode, key: string, path: KeyPath, report: Report): void {
  const child = childOf(node, key);
  // The schema refuses what is empty as written; this is about what variables made empty.
  if (child === undefined || textOf(node, key) === '') return;
  const where = [...path, key];
  report.refuse(child.at, where, `${renderPath(where)} is empty once its variables are replaced`);
}

function faultOfUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is no URL once its variables are replaced';
  const { protocol } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? undefined : 'must start with https:// or http://';
}

function checkHeaders(node: MapNode, headers: Record<string, string>, path: KeyPath, report: Report): void {
  const seen = new Map<string, string>();
  for (const [name, { keyAt, value }] of entriesOf(node, 'headers')) {
    const where = [...path, 'headers', name];
    const twin = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), name);
    if (twin !== undefined) {
      const message = `the header ${quote(name)} in ${renderPath([...path, 'headers'])} is there twice, also as ${quote(twin)}`;
      report.refuse(keyAt, where, message, 'keep one of the two; case does not tell headers apart');
    }
    if (!isHeaderValue(headers[name] ?? '')) {
      const message = `${renderPath(where)} holds a character that no HTTP header can carry`;
      report.refuse(value.at, where, message, 'look for a line break, perhaps at the end of a variable');
    }
  }
}

/** A `~` is the shell's, and no shell runs here. */
function warnOfTilde(node: MapNode, key: string, path: KeyPath, report: Report): void {
  const child = childOf(node, key);
  if (child === undefined || !/^~(?:[/\\]|$)/.test(textOf(node, key) ?? '')) return;
  const where = [...path, key];
  report.warn(child.at, where, `${renderPath(where)} starts with ~, which is not replaced`, 'write ${HOME} instead');
}

/** Two ids that look the same because Unicode writes them in two ways would be told apart by nobody. */
function checkUnicodeTwins(servers: SourceNode | undefined, report: Report): void {
  const seen = new Map<string, string>();
  for (const [id, { keyAt }] of servers?.kind === 'map' ? servers.entries : []) {
    const twin = seen.get(id.normalize('NFC'));
    if (twin === undefined) seen.set(id.normalize('NFC'), id);
    else report.refuse(keyAt, ['mcpServers', id], `the server ids ${quote(twin)} and ${quote(id)} look the same`);
  }
}
