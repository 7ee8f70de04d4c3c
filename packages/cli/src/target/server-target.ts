import type { Client, Connection, ConnectOptions, HttpCredentials, InputHandlers, Transport } from '@switchyard/client';
import { connect, createStdioTransport } from '@switchyard/client/node';
import { errorCodes, present, ProtocolError } from '@switchyard/protocol';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { Failure } from '../failure.ts';
import { cleanLine } from '../terminal.ts';
import { callThrough } from './call-through.ts';
import { serverNameOf } from './server-name.ts';
import type { Listing, Target, TargetOptions } from './target.ts';

const DEFAULT_MAX_TIMEOUT_MS = 600_000;

/** One server to reach without a host. */
export type BareServer =
  | { readonly url: string; readonly headers: { readonly [name: string]: string } }
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: { readonly [name: string]: string };
      readonly cwd: string;
    };

/** Reaches one server and answers it as a target: no policy, no audit. Rejects with the client's error. */
export async function openServerTarget(
  server: BareServer,
  options: {
    readonly signal: AbortSignal;
    readonly onWarning: (message: string) => void;
    /** Who calls a server on HTTP, beside its headers. */
    readonly credentials?: HttpCredentials | undefined;
    /** Who answers what the server asks for. */
    readonly input?: InputHandlers | undefined;
    /** How long the server may be silent on a request. */
    readonly timeoutMs?: number | undefined;
    readonly startTimeoutMs?: number | undefined;
  },
): Promise<Target> {
  const common = {
    exactIntegers: true,
    tasks: true as const,
    ...(options.input === undefined ? {} : { input: options.input }),
    ...timesOf(options),
    signal: options.signal,
    onWarning: ({ message }: { readonly message: string }) => options.onWarning(message),
  };
  if ('url' in server) {
    const client = await connect(new URL(server.url), {
      ...common,
      headers: server.headers,
      ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    });
    return createServerTarget(client, () => []);
  }
  const { transport, lastWords } = listeningIn(createStdioTransport(server));
  const client = await connect(transport, { ...common, name: serverNameOf(server.command, server.args) });
  return createServerTarget(client, lastWords);
}

/**
 * Answers a transport that remembers its last connection, and what the peer of that one said outside of the protocol.
 */
function listeningIn(inner: Transport): { readonly transport: Transport; lastWords(): readonly string[] } {
  let last: Connection | undefined;
  return {
    transport: {
      ...inner,
      async open(options) {
        last = await inner.open(options);
        return last;
      },
    },
    lastWords() {
      const said = last?.lastWords?.() ?? '';
      return said === '' ? [] : said.split('\n');
    },
  };
}

/** Whoever waits longer for one answer waits as long for a call that reports progress, too. */
function timesOf({
  timeoutMs,
  startTimeoutMs,
}: {
  readonly timeoutMs?: number | undefined;
  readonly startTimeoutMs?: number | undefined;
}): Pick<ConnectOptions, 'timeoutMs' | 'maxTimeoutMs' | 'startTimeoutMs'> {
  const maxTimeoutMs = timeoutMs === undefined ? undefined : Math.max(timeoutMs, DEFAULT_MAX_TIMEOUT_MS);
  return present({ timeoutMs, maxTimeoutMs, startTimeoutMs });
}

function createServerTarget(client: Client, lastWords: Target['lastWords']): Target {
  return {
    tools: (options) =>
      asking('its list of tools', async () => {
        const { tools } = await client.listTools(options);
        return listing(tools);
      }),
    resources: (options) =>
      asking('its list of resources', async () => {
        if (client.capabilities.resources === undefined) return listing([]);
        const { resources } = await client.listResources(options);
        const { resourceTemplates } = await client.listResourceTemplates(options);
        return listing([...resources, ...resourceTemplates]);
      }),
    prompts: (options) =>
      asking('its list of prompts', async () => {
        if (client.capabilities.prompts === undefined) return listing([]);
        const { prompts } = await client.listPrompts(options);
        return listing(prompts);
      }),
    findTool: (name, options) =>
      asking('its list of tools', async () => {
        const { tools } = await client.listTools(options);
        return tools.find((tool) => tool.name === name);
      }),
    call: (name, args, options) =>
      asking(
        `tool ${JSON.stringify(name)}`,
        () => callThrough(client, name, args, options),
        (error) => unlisted(name, options, error),
      ),
    read: (uri, options) => asking(`resource ${uri}`, () => client.readResource(uri, options)),
    prompt: (name, args, options) =>
      asking(`prompt ${JSON.stringify(name)}`, () => client.getPrompt(name, args, options)),
    accessWarnings: () => [],
    lastWords,
    close: () => client.close(),
  };

  /** Carries a request out. An error that the server answers names the server and what was asked for. */
  async function asking<T>(
    what: string,
    ask: () => Promise<T>,
    explain: (error: ProtocolError) => Promise<string | undefined> = () => Promise.resolve(undefined),
  ): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const unknown = await explain(error);
      const said = `MCP server "${client.name}", asked for ${what}: ${cleanLine(error.message)} (${error.code}).`;
      throw new Failure(unknown === undefined ? 'protocol' : 'unknown', said + (unknown ?? ''), {
        code: error.code,
        server: client.name,
        cause: error,
      });
    }
  }

  /**
   * Answers that the server lists no tool of a name, with the nearest that it does; `undefined` where an error is
   * another.
   */
  async function unlisted(
    name: string,
    { signal }: TargetOptions,
    { code }: ProtocolError,
  ): Promise<string | undefined> {
    if (code !== errorCodes.invalidParams.code) return undefined;
    const { tools } = await client.listTools({ signal });
    const names = tools.map((tool) => tool.name);
    return names.includes(name) ? undefined : ` It lists no tool of that name.${didYouMean(name, names)}`;
  }

  function listing<Definition>(definitions: readonly Definition[]): Listing<Definition> {
    // What was left out has been warned of while the list was read.
    return {
      entries: definitions.map((definition) => ({ server: client.name, definition })),
      missing: [],
      warnings: [],
    };
  }
}
