import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { isJsonObject, type JsonObject } from '@switchyard/protocol';

/** What a server may do wrong, beside nothing. */
export interface Wrong {
  /** Advertises prompts, which it does not serve. */
  readonly advertisesTooMuch?: boolean;
  /** Serves requests without metadata. */
  readonly serves?: 'without metadata';
  /** The resultType of a complete `tools/call`; `undefined` leaves it out. */
  readonly resultType?: string | undefined;
  /** Lists tools in another order each time. */
  readonly shuffles?: boolean;
  readonly ttlMs?: unknown;
  /** The code for an unsupported version. */
  readonly versionCode?: number;
  /** Asks for input whatever was declared. */
  readonly asksAnybody?: boolean;
  /** Takes a retry under the id of the first request alone. */
  readonly bindsId?: boolean;
  /** Each instance has a key of its own. */
  readonly ownKey?: boolean;
  /** Takes any state. */
  readonly takesAnyState?: boolean;
  /** Reports progress before it looks at the state. */
  readonly worksFirst?: boolean;
  /** Answers GET and DELETE with a stream, or with this status in place of 405. */
  readonly onGet?: 'a stream' | number;
  /** Hands out a session id: always, to whoever brings one, or with what it refuses. */
  readonly session?: boolean | 'for another' | 'on GET';
  /** Sends a request of its own before the answer to a call. */
  readonly asksBack?: boolean;
  readonly description?: string;
  readonly resultText?: string;
  /** Does not compare Mcp-Name with the name in the body. */
  readonly ignoresName?: boolean;
  /** Changes what came before it is looked at. */
  readonly takes?: (params: JsonObject) => JsonObject;
  /** Changes an answer before it is sent; `count` is how many requests of the method there were. */
  readonly answers?: (reply: Reply, request: { readonly method: string; readonly count: number }) => Reply;
}

/** What a server answers: members of the response, and how it is sent. */
export interface Reply {
  readonly [member: string]: unknown;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
  readonly status?: number;
  readonly before?: readonly JsonObject[];
  readonly mediaType?: string;
  /** Changes the text of the body. */
  readonly spell?: (body: string) => string;
  /** Closes the connection instead. */
  readonly isCut?: boolean;
}

/** A small server of this revision that does everything right but what it is told, served twice. */
export async function serveWrong(wrong: Wrong = {}) {
  const key = randomBytes(32);
  const instances = [create(wrong, key), create(wrong, wrong.ownKey === true ? randomBytes(32) : key)];
  const urls = await Promise.all(instances.map(listen));
  return {
    urls,
    async [Symbol.asyncDispose]() {
      for (const instance of instances) {
        instance.closeAllConnections();
        await new Promise((resolve) => instance.close(resolve));
      }
    },
  };
}

type Instance = ReturnType<typeof createServer>;

function listen(instance: Instance): Promise<string> {
  return new Promise((resolve) => {
    instance.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(instance.address() as AddressInfo).port}/mcp`));
  });
}

const metaKey = (name: string): string => `io.modelcontextprotocol/${name}`;
const serverMeta = { [metaKey('serverInfo')]: { name: 'wrong', version: '1.0.0' } };

function create(wrong: Wrong, key: Buffer): Instance {
  let lists = 0;
  const counts = new Map<string, number>();
  const { ttlMs = 1000, description = 'Greets by name' } = wrong;
  const hints = { ...(ttlMs === undefined ? {} : { ttlMs }), cacheScope: 'public' };
  const sign = (state: string): string => `${state}.${createHmac('sha256', key).update(state).digest('base64url')}`;

  return createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      const { onGet = 405 } = wrong;
      if (onGet !== 'a stream')
        return void response.writeHead(onGet, wrong.session === 'on GET' ? { 'mcp-session-id': 'abc' } : {}).end();
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
    }
    const message = JSON.parse(await text(request)) as JsonObject;
    const { id, method, params } = message;
    const name = String(method);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const { takes = (given) => given, answers = (reply) => reply } = wrong;
    const answer = answers(answerTo(name, takes(isJsonObject(params) ? params : {}), id, request), {
      method: name,
      count,
    });
    const type = (answer.before ?? []).length > 0 ? 'text/event-stream' : 'application/json';
    const { before = [], status = 200, mediaType = type, spell = (body) => body, isCut = false, ...body } = answer;
    if (isCut) return void request.socket.destroy();
    const lines = [...before, { jsonrpc: '2.0', id, ...body }];
    response.writeHead(status, {
      'content-type': mediaType,
      ...(wrong.session === true || (wrong.session === 'for another' && request.headers['mcp-session-id'] !== undefined)
        ? { 'mcp-session-id': 'abc' }
        : {}),
    });
    const written =
      before.length > 0 ? lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join('') : JSON.stringify(lines[0]);
    response.end(spell(written));
  }

  function answerTo(method: string, params: JsonObject, id: unknown, { headers }: IncomingMessage): Reply {
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
    const version = meta[metaKey('protocolVersion')];
    const capabilities = meta[metaKey('clientCapabilities')];
    const isComplete = typeof version === 'string' && isJsonObject(capabilities);
    if (!isComplete && wrong.serves !== 'without metadata')
      return { status: 400, error: { code: -32602, message: 'no metadata' } };
    const { name } = params;
    const mirrored = {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(name === undefined || wrong.ignoresName === true ? {} : { 'mcp-name': name }),
    };
    const isMirrored = Object.entries(mirrored).every(([name, value]) => headers[name] === value);
    if (isComplete && !isMirrored) return { status: 400, error: { code: -32020, message: 'headers' } };
    if (isComplete && version !== '2026-07-28') {
      const data = { supported: ['2026-07-28'], requested: version };
      return { status: 400, error: { code: wrong.versionCode ?? -32022, message: 'version', data } };
    }
    switch (method) {
      case 'server/discover':
        return {
          result: {
            resultType: 'complete',
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {}, ...(wrong.advertisesTooMuch === true ? { prompts: {} } : {}) },
            _meta: serverMeta,
            ...hints,
          },
        };
      case 'tools/list':
        return { result: { resultType: 'complete', tools: toolsIn((lists += 1)), _meta: serverMeta, ...hints } };
      case 'tools/call':
        return call(params, capabilities, id, meta);
      default:
        return { status: 404, error: { code: -32601, message: 'unknown method' } };
    }
  }

  function toolsIn(reading: number): readonly JsonObject[] {
    const names = ['greet', 'part', 'meet'];
    const turned = wrong.shuffles === true ? names.map((_, at) => names[(at + reading) % names.length]) : names;
    return turned.map((name) => ({
      name,
      description: name === 'greet' ? description : 'Says a word',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    }));
  }

  function call(params: JsonObject, capabilities: unknown, id: unknown, meta: JsonObject): Reply {
    const { name, requestState, inputResponses } = params;
    const { resultText = 'Hello' } = wrong;
    const type = Object.hasOwn(wrong, 'resultType') ? wrong.resultType : 'complete';
    const complete = {
      ...(type === undefined ? {} : { resultType: type }),
      content: [{ type: 'text', text: resultText }],
    };
    const progress = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: meta['progressToken'], progress: 1 },
    };
    const back = { jsonrpc: '2.0', id: 'own', method: 'roots/list' };
    const before = [
      ...(wrong.worksFirst === true && meta['progressToken'] !== undefined ? [progress] : []),
      ...(wrong.asksBack === true ? [back] : []),
    ];
    const answer = (reply: Reply): Reply => ({ ...reply, before });
    if (name !== 'greet') return answer({ result: complete });
    const canAsk = isJsonObject(capabilities) && isJsonObject(capabilities['elicitation']);
    if (!canAsk && wrong.asksAnybody !== true) {
      const data = { requiredCapabilities: { elicitation: {} } };
      return { status: 400, error: { code: -32021, message: 'elicitation', data } };
    }
    if (requestState === undefined || !isJsonObject(inputResponses) || !Object.hasOwn(inputResponses, 'who')) {
      if (requestState !== undefined && !isGood(requestState, id))
        return answer({ error: { code: -32602, message: 'state' } });
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
      const who = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } };
      const state = sign(Buffer.from(JSON.stringify({ id, asked: 'who' })).toString('base64url'));
      return answer({ result: { resultType: 'input_required', inputRequests: { who }, requestState: state } });
    }
    return answer(isGood(requestState, id) ? { result: complete } : { error: { code: -32602, message: 'state' } });
  }

  function isGood(state: unknown, id: unknown): boolean {
    if (wrong.takesAnyState === true) return true;
    const [body = ''] = String(state).split('.');
    if (sign(body) !== state) return false;
    const { id: first } = JSON.parse(Buffer.from(body, 'base64url').toString()) as JsonObject;
    return wrong.bindsId !== true || first === id;
  }
}
