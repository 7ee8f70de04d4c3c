import {
  createClientCounts,
  createServer,
  formQuestion,
  inputRequired,
  legacyClients,
  silentLogger,
  toFetch,
  urlQuestion,
} from '@switchyard/server';
import { createResponder, endpointToFetch } from '@switchyard/server/endpoint';
import {
  apiKeys,
  bearerJwt,
  createDpopNonces,
  createReplaySet,
  createRevocations,
  createTokenExchange,
  introspection,
  protectedResource,
} from '@switchyard/server/authorization';
import {
  createRateLimiter,
  endpointToNode,
  fileHandleResource,
  fileResource,
  readSkills,
  serveEndpoint,
  serveEndpointStdio,
  serveHttp,
  serveStdio,
  toNode,
} from '@switchyard/server/node';
import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const create = (): ReturnType<typeof createServer> =>
  createServer({ name: 'options', version: '1.0.0' }, { logger: silentLogger });
const handler = (): string => 'x';

const kinds: readonly [what: string, define: (name: never) => unknown][] = [
  ['tool: the name', (name) => create().tool(name, {}, handler)],
  ['prompt: the name', (name) => create().prompt(name, {}, handler)],
  ['resource template: the URI template', (name) => create().resourceTemplate(name, { name: 'x' }, handler)],
  ['app: the URI', (name) => create().ui(name, { name: 'x' }, '<p>')],
];

/** What somebody writes who does not look at types, and what they are told. */
const mistakes: readonly [mistake: string, make: () => unknown, told: string][] = [
  [
    'a name of another library for the input of a tool',
    () => create().tool('add', { inputSchema: z.object({}) } as object, handler),
    'tool add: there is no option "inputSchema"; did you mean "input"?',
  ],
  [
    'a choice of tasks that there is not',
    () => create().tool('add', { task: 'always' as never }, handler),
    'tool add: task must be one of optional, required, not "always"',
  ],
  [
    'a yes for tasks',
    () => create().tool('add', { task: true as never }, handler),
    'tool add: task must be one of optional, required, not true',
  ],
  [
    'a capability of a client that there is not',
    () => create().tool('add', { requires: ['sampling', 'toString'] as never }, handler),
    'tool add: requires may list roots, sampling, elicitation, not "toString"',
  ],
  [
    'one letter too many',
    () => create().tool('add', { inputs: z.object({}) } as object, handler),
    'tool add: there is no option "inputs"; did you mean "input"?',
  ],
  [
    'an option that is near to none',
    () => create().prompt('ask', { zzz: 1 } as object, handler),
    'prompt ask: there is no option "zzz"; known are description, title, args, maxTotalChars',
  ],
  [
    'a slip in a resource',
    () => create().resource('mem://a', { name: 'a', mimetype: 'text/plain' } as never, handler),
    'resource mem://a: there is no option "mimetype"; did you mean "mimeType"?',
  ],
  [
    'the size of a family of resources',
    () => create().resourceTemplate('mem://{a}', { name: 'a', size: 1 } as never, handler),
    'resource template mem://{a}: there is no option "size"',
  ],
  [
    'a definition that was left out',
    () => create().tool('add', handler as never, undefined as never),
    'tool add: an object is needed here, not a function',
  ],
  [
    'no handler of a tool',
    () => create().tool('add', {}, undefined as never),
    'tool add: the handler, which comes last',
  ],
  [
    'nothing in place of a definition',
    () => create().prompt('ask', undefined as never, handler),
    'prompt ask: an object is needed here, not undefined',
  ],
  ['no handler of a prompt', () => create().prompt('ask', {}, 7 as never), 'must be a function, not a number'],
  [
    'no handler of a resource',
    () => create().resource('mem://a', { name: 'a' }, null as never),
    'must be a function, not null',
  ],
  [
    'no handler of a family',
    () => create().resourceTemplate('mem://{a}', { name: 'a' }, [] as never),
    'must be a function, not a list',
  ],
  [
    'a resource without a name',
    () => create().resource('mem://a', {} as never, handler),
    'resource mem://a: the definition needs a `name`',
  ],
  [
    'a family without a name',
    () => create().resourceTemplate('mem://{a}', {} as never, handler),
    'resource template mem://{a}: the definition needs a `name`',
  ],
  ['no version', () => createServer({ name: 'a' } as never), 'createServer: version is missing'],
  ['no name', () => createServer({ version: '1' } as never), 'createServer: name is missing'],
  [
    'a slip in an option of the server',
    () => createServer({ name: 'a', version: '1' }, { loger: silentLogger } as object),
    'createServer, the second argument: there is no option "loger"; did you mean "logger"?',
  ],
  [
    'an option of the server among its names',
    () => createServer({ name: 'a', version: '1', records: {} } as never),
    'createServer, the first argument: there is no option "records"',
  ],
  [
    'a slip in the options of request state',
    () => createServer({ name: 'a', version: '1' }, { state: { key: [] } as object }),
    'createServer, state: there is no option "key"; did you mean "keys"?',
  ],
  [
    'a slip in the options of tasks',
    () => createServer({ name: 'a', version: '1' }, { tasks: { ttl: 1 } as object }),
    'createServer, tasks: there is no option "ttl"; did you mean "ttlMs"?',
  ],
  [
    'a slip in the cache of a server',
    () => createServer({ name: 'a', version: '1' }, { cache: { ttl: 1 } as object }),
    'createServer, cache: there is no option "ttl"; did you mean "ttlMs"?',
  ],
  [
    'a slip in the cache of a resource',
    () => create().resource('mem://a', { name: 'a', cache: { scope: 'public' } as object }, handler),
    'resource a, cache: there is no option "scope"',
  ],
  [
    'a slip in an argument of a prompt',
    () => create().prompt('ask', { args: { topic: { optional: true } as never } }, handler),
    'prompt ask, args.topic: there is no option "optional"; known are title, description, required',
  ],
  [
    'nothing in place of an argument of a prompt',
    () => create().prompt('ask', { args: { topic: null as never } }, handler),
    'prompt ask, args.topic: an object is needed here, not null',
  ],
  [
    'a slip in the segments of a family',
    () =>
      create().resourceTemplate('mem://{a}{?offset,limit}', { name: 'a', segments: { maxByte: 1 } as object }, handler),
    'resource template mem://{a}{?offset,limit}, segments: there is no option "maxByte"; did you mean "maxBytes"?',
  ],
  [
    'a slip in a skill',
    () => create().skill({ frontmatter: { name: 'a', description: 'b' }, content: 'c' } as never),
    'skill: there is no option "content"; known are frontmatter, body, path, files',
  ],
  ['nothing in place of a skill', () => create().skill(undefined as never), 'skill: an object is needed here'],
  [
    'a slip in an app',
    () => create().ui('ui://a', { name: 'a', prefersBorders: true } as never, '<p>'),
    'app ui://a: there is no option "prefersBorders"; did you mean "prefersBorder"?',
  ],
  [
    'the MIME type of an app, which is one for all',
    () => create().ui('ui://a', { name: 'a', mimeType: 'text/html' } as never, '<p>'),
    'app ui://a: there is no option "mimeType"',
  ],
  [
    'a slip in the link of a tool to its app',
    () => create().tool('add', { ui: { resourceURI: 'ui://a' } as object }, handler),
    'tool add, ui: there is no option "resourceURI"; did you mean "resourceUri"?',
  ],
  [
    'a slip for toNode',
    () => toNode(create(), { maxBodyByte: 1 } as object),
    'toNode: there is no option "maxBodyByte"',
  ],
  ['a port for toFetch', () => toFetch(create(), { port: 1 } as object), 'toFetch: there is no option "port"'],
  [
    'members that are schemas of zod',
    () => create().tool('add', { input: { a: z.string() } as never }, handler),
    'tool add: the input schema cannot be served: it is a plain object whose member "a" is a schema: did you mean z.object({ … })?',
  ],
  [
    'members that are schemas of another library',
    () => create().tool('add', { output: { a: type('string') } } as object, handler),
    'make one object schema of them all with arktype',
  ],
];

const endpoint = (): Parameters<typeof serveEndpoint>[0] => create().endpoint();
const site = protectedResource({ resource: 'https://a.example', authorizationServers: ['https://b.example'] });
const unknown = { zzz: 1 } as object as never;

/** Whatever takes options, by what its error calls it. */
const takers: readonly [name: string, make: () => unknown][] = [
  ['createServer, the second argument', () => createServer({ name: 'a', version: '1' }, unknown)],
  ['toFetch', () => toFetch(create(), unknown)],
  ['toNode', () => toNode(create(), unknown)],
  ['endpointToFetch', () => endpointToFetch(endpoint(), unknown)],
  ['endpointToNode', () => endpointToNode(endpoint(), unknown)],
  ['createResponder', () => createResponder(endpoint(), unknown)],
  ['serveHttp', () => serveHttp(create(), unknown)],
  ['serveEndpoint', () => serveEndpoint(endpoint(), unknown)],
  ['serveStdio', () => serveStdio(create(), unknown)],
  ['serveEndpointStdio', () => serveEndpointStdio(endpoint(), unknown)],
  ['legacyClients', () => legacyClients(unknown)],
  ['legacyClients, httpSse', () => legacyClients({ httpSse: unknown })],
  ['createClientCounts', () => createClientCounts(unknown)],
  ['createRateLimiter', () => createRateLimiter(unknown)],
  ['fileResource', () => fileResource('a', unknown)],
  ['fileHandleResource', () => fileHandleResource({} as never, unknown)],
  ['readSkills', () => readSkills('a', unknown)],
  ['protectedResource', () => protectedResource(unknown)],
  ['bearerJwt', () => bearerJwt(site, unknown)],
  ['introspection', () => introspection(site, unknown)],
  ['apiKeys', () => apiKeys(unknown)],
  ['keys[0]', () => apiKeys({ keys: [{ digest: 'a', principal: { subject: 'a' }, zzz: 1 } as never] })],
  ['createTokenExchange', () => createTokenExchange(unknown)],
  ['createDpopNonces', () => createDpopNonces(unknown)],
  ['createReplaySet', () => createReplaySet(unknown)],
  ['createRevocations', () => createRevocations(unknown)],
  ['revokeSubject', () => createRevocations().revokeSubject('a', unknown)],
  ['formQuestion', () => formQuestion(unknown)],
  ['urlQuestion', () => urlQuestion(unknown)],
  ['inputRequired', () => inputRequired(unknown)],
];

describe('what has no meaning', () => {
  it.each(takers)('is refused by all that takes options, which names those that there are: %s', async (name, make) => {
    const refused = (async () => make())();
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(`${name}: there is no option "zzz"; known are `);
  });

  it.each([{ message: 'Which seat?', schema: {} }, undefined, 7, 'seat'])(
    'is refused among the requests of inputRequired, which says what makes one: %j',
    (given) => {
      expect(() => inputRequired({ requests: { seat: given as never } })).toThrow(
        /^inputRequired, requests\.seat: a request is what formQuestion, urlQuestion, /,
      );
    },
  );

  it.each<[option: object, owner: string]>([
    [{ pageSize: 10 }, 'createServer'],
    [{ streamAfterMs: 10 }, 'legacyClients'],
  ])('is said to be an option of the function that takes it: %j', (option, owner) => {
    expect(() => toFetch(create(), option)).toThrow(`that is an option of ${owner}`);
  });

  it('is refused by createServer with the names of the functions that take it', () => {
    expect(() => createServer({ name: 'a', version: '1' }, { maxBodyBytes: 1 } as object)).toThrow(
      'that is an option of serveHttp, toNode and toFetch',
    );
  });

  it.each(mistakes)('is refused with a TypeError that helps: %s', (_, make, told) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(told);
  });

  it.each(kinds)('is refused in the place of a text: %s', (what, define) => {
    for (const [given, shown] of [
      [7, 'a number'],
      [undefined, 'undefined'],
      [[], 'a list'],
    ])
      expect(() => define(given as never)).toThrow(`${what}, which comes first, must be a text, not ${String(shown)}`);
  });

  it('is refused by serveHttp: an unknown option, and a port that is none', async () => {
    await expect(serveHttp(create(), { prot: 0 } as object)).rejects.toThrow(
      'serveHttp: there is no option "prot"; did you mean "port"?',
    );
    for (const port of ['3000', -1, 65_536, 1.5, Number.NaN])
      await expect(serveHttp(create(), { port: port as never })).rejects.toThrow(
        /^port must be an integer from 0 to 65535, not /,
      );
  });

  it('is refused by serveStdio: an unknown option', async () => {
    await expect(serveStdio(create(), { principle: {} } as object)).rejects.toThrow(
      'serveStdio: there is no option "principle"; did you mean "principal"?',
    );
  });

  it('is refused where old clients are let in: what legacyClients did not make', () => {
    expect(() => toFetch(create(), { legacy: {} as never })).toThrow(/^legacy must be what legacyClients\(\) answers/);
  });

  it('is let through where it is undefined', () => {
    expect(() => create().tool('add', { inputs: undefined } as object, handler)).not.toThrow();
  });
});
