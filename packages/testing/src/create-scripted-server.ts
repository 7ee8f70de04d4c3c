import {
  assertKnownOptions,
  type Exchange,
  isJsonObject,
  type JsonObject,
  type KnownOptions,
  latestRevision,
  parseJson,
  ProtocolError,
  type Responder,
  stringifyJson,
} from '@switchyard/protocol';

/** What a scripted server offers and how it answers. Members may be changed while it runs. */
export interface ServerScript {
  tools?: readonly unknown[];
  resources?: readonly unknown[];
  resourceTemplates?: readonly unknown[];
  prompts?: readonly unknown[];
  /** Freshness of its lists; 0 unless given, so that each list is read anew. */
  ttlMs?: number;
  /**
   * Answers any request first; `undefined` leaves it to the rest of the script. Throws a ProtocolError for an error
   * response.
   */
  answer?(method: string, params: JsonObject, exchange: Exchange): unknown;
}

const serverScript: KnownOptions<ServerScript> = {
  tools: true,
  resources: true,
  resourceTemplates: true,
  prompts: true,
  ttlMs: true,
  answer: true,
};

/** A server in this process that answers as its script says, and remembers the requests that it got. */
export interface ScriptedServer extends Responder {
  readonly script: ServerScript;
  readonly requests: { readonly method: string; readonly params: JsonObject }[];
  /** The params of the requests of one method. */
  paramsOf(method: string): JsonObject[];
}

/**
 * Creates a server in this process that answers as its script says and as an empty server would where the script says
 * nothing, for tests of clients and hosts. It checks nothing: a test may have it answer what no server should.
 */
export function createScriptedServer(script: ServerScript = {}): ScriptedServer {
  assertKnownOptions('createScriptedServer', script, serverScript);
  const requests: { method: string; params: JsonObject }[] = [];

  async function answerTo(method: string, params: JsonObject, exchange: Exchange): Promise<unknown> {
    const answer = await script.answer?.(method, params, exchange);
    if (answer !== undefined) return answer;
    const cache = { ttlMs: script.ttlMs ?? 0, cacheScope: 'private' };
    switch (method) {
      case 'server/discover': {
        const { tools, resources, resourceTemplates, prompts } = script;
        const capabilities = {
          ...(tools === undefined ? {} : { tools: {} }),
          ...(resources === undefined && resourceTemplates === undefined ? {} : { resources: {} }),
          ...(prompts === undefined ? {} : { prompts: {} }),
        };
        return { supportedVersions: [latestRevision], capabilities, ...cache };
      }
      case 'tools/list':
        return { tools: script.tools, ...cache };
      case 'resources/list':
        return { resources: script.resources ?? [], ...cache };
      case 'resources/templates/list':
        return { resourceTemplates: script.resourceTemplates ?? [], ...cache };
      case 'prompts/list':
        return { prompts: script.prompts, ...cache };
      case 'tools/call':
        return { content: [{ type: 'text', text: `called ${String(params['name'])}` }] };
      case 'resources/read':
        return { contents: [{ uri: params['uri'], text: 'contents' }], ...cache };
      case 'prompts/get':
        return { messages: [{ role: 'user', content: { type: 'text', text: `prompt ${String(params['name'])}` } }] };
      case 'completion/complete':
        return { completion: { values: ['one', 'two'] } };
      default:
        throw new ProtocolError('methodNotFound', `no method ${method}`);
    }
  }

  return {
    script,
    requests,
    paramsOf: (method) => requests.filter((request) => request.method === method).map(({ params }) => params),
    async respond(text, exchange) {
      const message = parseJson(text, { exactIntegers: true });
      if (!isJsonObject(message) || message['id'] === undefined) return undefined;
      const method = String(message['method']);
      const params = isJsonObject(message['params']) ? message['params'] : {};
      requests.push({ method, params });
      const head = { jsonrpc: '2.0', id: message['id'] };
      try {
        const result = await answerTo(method, params, exchange);
        return stringifyJson({ ...head, result: { resultType: 'complete', ...(result as object) } });
      } catch (error) {
        return stringifyJson({ ...head, error: ProtocolError.from(error, 'test').body() });
      }
    },
  };
}

/** A tool definition with an open input schema. */
export function toolDefinition(name: string, rest: JsonObject = {}): JsonObject {
  return { name, inputSchema: { type: 'object' }, ...rest };
}
