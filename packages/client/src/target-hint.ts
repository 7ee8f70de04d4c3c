const HTTP = /^https?:/i;
const SOCKET = /^(?:unix|pipe):/i;
/** A host and a port, or a host with a dot in it and a path, as one types them into a browser. */
const NO_SCHEME = /^(?:[\w.-]+:\d{1,5}(?:[/?#]|$)|[\w-]+(?:\.[\w-]+)+(?:[/?#]|$))/;

/**
 * Answers one sentence on what was meant by a target that cannot be reached through an entry of this package;
 * `undefined` where it may be, or where nothing can be said. It repeats nothing of the target, which may hold a secret.
 */
export function targetHint(target: unknown, entry: 'root' | 'node'): string | undefined {
  const text = textOf(target);
  if (text !== undefined) return hintOfText(text, entry);
  const isCommand = typeof target === 'object' && target !== null && 'command' in target;
  if (!isCommand || entry === 'node') return undefined;
  return 'a command is started by `connect` of @switchyard/client/node: this entry starts no process. Import it from there.';
}

function hintOfText(text: string, entry: 'root' | 'node'): string | undefined {
  if (HTTP.test(text)) return undefined;
  if (SOCKET.test(text)) {
    return entry === 'node'
      ? 'its URL names no socket: write unix:///PATH/OF/THE/SOCKET#/mcp, with three slashes.'
      : 'a socket is reached by `connect` of @switchyard/client/node, and not by this entry. Import it from there.';
  }
  if (NO_SCHEME.test(text))
    return 'its URL has no scheme. Write http:// before the host of this machine, or https:// before another.';
  if (/\s/.test(text.trim())) {
    return (
      'a text is a URL, and this looks like a command line. Give { command: "node", args: ["server.js"] } to `connect` ' +
      'of @switchyard/client/node.'
    );
  }
  return undefined;
}

function textOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null || !('url' in target)) return undefined;
  return typeof target.url === 'string' ? target.url : undefined;
}
