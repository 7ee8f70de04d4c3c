import { type Client, connect, type ConnectOptions, createMemoryTransport, type Transport } from '@switchyard/client';
import {
  assertKnownOptions,
  errorCodes,
  everyRevision,
  isLegacyRevision,
  type KnownOptions,
  type LegacyRevision,
  parseMessage,
  type Responder,
  type Revision,
} from '@switchyard/protocol';
import { legacyClients, type Server } from '@switchyard/server';
import { createResponder, type Endpoint } from '@switchyard/server/endpoint';

/** Options of {@link connectInMemory}. */
export interface InMemoryOptions extends ConnectOptions {
  /**
   * The revision that the two speak. Default: the newest. An older one is settled by `initialize`, in a session that
   * ends with the client.
   */
  readonly revision?: Revision;
}

const inMemoryOptions: KnownOptions<InMemoryOptions> = {
  name: true,
  clientInfo: true,
  capabilities: true,
  input: true,
  timeoutMs: true,
  maxTimeoutMs: true,
  startTimeoutMs: true,
  probeTimeoutMs: true,
  restart: true,
  headers: true,
  maxMessageBytes: true,
  exactIntegers: true,
  checks: true,
  resultSize: true,
  maxNotificationsPerSecond: true,
  onWarning: true,
  onNotification: true,
  signal: true,
  fetch: true,
  clock: true,
  verdicts: true,
  prior: true,
  random: true,
  credentials: true,
  tasks: true,
  skills: true,
  icons: true,
  cache: true,
  onListChanged: true,
  listensToLists: true,
  revision: true,
};

/**
 * Connects a client to a server in this process, without a port or a child process. Messages still cross as JSON text
 * through the code of both sides, so that a test sees what a client on any transport would see. Errors name the server
 * by its own name unless `options.name` gives another. Unless the server was given a logger, what its handlers throw
 * goes to the console. Development mode is on unless the server's options say otherwise.
 *
 * A tool that asks gets its answers of `input`, at any revision; without it such a tool answers -32021. A test that wants
 * to see the rounds plays them with `client.request`, or sends the messages itself with `createRawClient` or
 * `server.respond`; see "Testing a tool that asks" in the guide.
 *
 * Nothing is cached unless `options.cache` is given, so that each call shows what the server says now.
 *
 * Rejects with a TypeError for an option or a revision that there is not, and for definitions that cannot be served.
 * The caller closes the client, for example with `await using`; the server holds nothing that would need an end.
 */
export async function connectInMemory(server: Server, options: InMemoryOptions = {}): Promise<Client> {
  assertKnownOptions('connectInMemory', options, inMemoryOptions);
  const { revision, ...rest } = options;
  if (revision !== undefined && !everyRevision.includes(revision))
    throw new TypeError(`revision must be one of ${everyRevision.join(', ')}, not ${JSON.stringify(revision)}`);
  // Made in any case: of definitions that cannot be served, a client would only hear that no answer came.
  const endpoint = server.endpoint({ development: true });
  const transport = isLegacyRevision(revision) ? legacyTransport(endpoint, revision) : modernTransport(endpoint);
  return connect(transport, { name: endpoint.info.name, cache: false, ...rest });
}

function modernTransport(endpoint: Endpoint): Transport {
  return transportTo(() => createResponder(endpoint));
}

function legacyTransport(endpoint: Endpoint, revision: LegacyRevision): Transport {
  return transportTo(
    () => createResponder(endpoint, { legacy: legacyClients({ revisions: [revision] }) }),
    withoutDiscovery,
  );
}

/** Each connection has a responder of its own, which ends with it. */
function transportTo(
  create: () => ReturnType<typeof createResponder>,
  as: (responder: Responder) => Responder = (responder) => responder,
): Transport {
  return {
    name: 'memory',
    async open(options) {
      const responder = create();
      const connection = await createMemoryTransport(as(responder)).open(options);
      void connection.closed.then(() => responder[Symbol.dispose]());
      return connection;
    },
  };
}

/** A server of an older revision does not know how newer clients ask what it is. */
function withoutDiscovery(responder: Responder): Responder {
  return {
    respond(text, exchange) {
      const parsed = parseMessage(JSON.parse(text) as unknown);
      if (parsed.kind !== 'request' || parsed.message.method !== 'server/discover')
        return responder.respond(text, exchange);
      const { id } = parsed.message;
      const { code } = errorCodes.methodNotFound;
      const error = { code, message: 'Method not found: server/discover' };
      return Promise.resolve(JSON.stringify({ jsonrpc: '2.0', id, error }));
    },
  };
}
