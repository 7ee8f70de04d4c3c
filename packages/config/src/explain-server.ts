import { configurationSchema } from './configuration-schema.ts';
import { meantKey } from './meant-key.ts';
import { renderPath, type KeyPath, type Position } from './problem.ts';
import type { Report } from './report.ts';
import type { ConfigurationSchema } from './schema-type.ts';
import { textOf, type MapNode, type SourceNode } from './source-node.ts';

/** A server entry whose keys do not go together, as the schema found. */
export interface ServerBreach {
  /**
   * `oneOf`: not exactly one of command and url, or a type that does not fit; `dependencies`: a key of the other kind.
   */
  readonly keyword: 'oneOf' | 'dependencies';
  readonly params: Readonly<Record<string, unknown>>;
  readonly node: MapNode;
  /** Where the entry's own key stands. */
  readonly at: Position;
  readonly path: KeyPath;
}

const serverSchema = configurationSchema.properties.mcpServers.additionalProperties;

/** Answers what to do about a transport that is not supported; `undefined` for anything else. */
export function suggestTransport(node: SourceNode, schema: ConfigurationSchema): string | undefined {
  if (schema !== serverSchema.properties.type || node.kind !== 'scalar' || typeof node.value !== 'string')
    return undefined;
  if (!/^(?:https?[-_+ ]?)?sse$/i.test(node.value)) return undefined;
  return 'the old HTTP+SSE transport is not supported: give the url at which the server speaks Streamable HTTP, often ending in /mcp, and leave type out';
}

/** Refuses a breach in words, unless another problem of the same entry already tells it. */
export function explainServer({ keyword, params, node, at, path }: ServerBreach, report: Report): void {
  const server = renderPath(path);
  const hasCommand = node.entries.has('command');
  const hasUrl = node.entries.has('url');
  const refuseKey = (key: string, message: string, suggestion: string): void =>
    report.refuse(node.entries.get(key)?.keyAt ?? at, [...path, key], `${server} ${message}`, suggestion);

  if (keyword === 'dependencies') {
    if (hasCommand === hasUrl) return;
    const { property, missingProperty } = params as { property: string; missingProperty: string };
    const message = `has ${property}, which belongs to a server with ${missingProperty}`;
    refuseKey(property, `${message}; this one has ${hasUrl ? 'url' : 'command'}`, suggestInsteadOf(property));
  } else if (hasCommand && hasUrl) {
    const suggestion = 'keep command for a program to start, or url for a remote server';
    refuseKey('url', 'has both command and url', suggestion);
  } else if (!hasCommand && !hasUrl) {
    if (hasMisspelledTarget(node)) return;
    const suggestion = 'add command: the program to start, or url: the remote endpoint';
    report.refuse(at, path, `${server} has no command and no url`, suggestion);
  } else {
    const type = textOf(node, 'type');
    const types: readonly string[] = serverSchema.properties.type.enum;
    if (type === undefined || !types.includes(type)) return;
    const [target, fitting] = hasCommand ? ['command', 'stdio'] : ['url', 'http'];
    refuseKey('type', `has type ${type} and ${target}`, `remove type, or write ${fitting}`);
  }
}

function hasMisspelledTarget(node: MapNode): boolean {
  return [...node.entries.keys()].some((key) => {
    if (Object.hasOwn(serverSchema.properties, key)) return false;
    const meant = meantKey(key, serverSchema);
    return meant === 'command' || meant === 'url';
  });
}

function suggestInsteadOf(property: string): string {
  if (property === 'env') return 'a remote server takes headers';
  return property === 'headers' ? 'a program takes env' : `remove ${property}`;
}
