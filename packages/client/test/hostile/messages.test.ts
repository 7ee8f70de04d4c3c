import { describe, expect, it } from 'vitest';
import {
  type Client,
  type ClientErrorCode,
  type ClientWarning,
  connect,
  type ConnectOptions,
} from '../../src/index.ts';
import { createScriptedPeer, type ScriptedPeer } from '../scripted-peer.ts';
import { expectAccepted, growthDuring, impatient, expectPeerError, expectRefused } from './outcome.ts';
import { closeAfterwards } from './raw-server.ts';

const right = { resultType: 'complete', content: [{ type: 'text', text: 'right' }] };

/** A client whose calls of the tool `t` are answered by the texts of `hostile`; other tools work. */
async function reach(hostile: (id: number) => Iterable<string>, options: ConnectOptions = {}) {
  const warnings: ClientWarning[] = [];
  const peer: ScriptedPeer = createScriptedPeer(({ id = -1, method, params }) => {
    if (method !== 'tools/call') return false;
    if (params?.['name'] === 'works') peer.answer(id, right);
    else for (const text of hostile(id)) peer.sendText(text);
    return true;
  });
  const connecting = connect(peer.transport, {
    ...impatient,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  return { client: closeAfterwards(await connecting), peer, warnings };
}

const works = async (client: Client): Promise<void> => {
  expect(await expectAccepted(client.callTool('works'))).toMatchObject({ content: [{ text: 'right' }] });
};
const message = (id: number, rest: string): string => `{"jsonrpc":"2.0","id":${id},${rest}}`;
const result = (text: string): string => `"result":{"resultType":"complete","content":[],${text}}`;
const invalid: readonly ClientErrorCode[] = ['invalid-response'];
const late: readonly ClientErrorCode[] = ['timeout'];

const failing: readonly (readonly [string, (id: number) => Iterable<string>, readonly ClientErrorCode[]])[] = [
  ['both a result and an error', (id) => [message(id, '"result":{},"error":{"code":1,"message":"x"}')], invalid],
  ['neither', (id) => [message(id, '"x":1')], invalid],
  ['a result that is null', (id) => [message(id, '"result":null')], invalid],
  ['a result that is an array', (id) => [message(id, '"result":[]')], invalid],
  ['an error without a code', (id) => [message(id, '"error":{"message":"x"}')], invalid],
  ['an error whose code is a text', (id) => [message(id, '"error":{"code":"-32603","message":"x"}')], invalid],
  ['an error whose code is 1.5', (id) => [message(id, '"error":{"code":1.5,"message":"x"}')], invalid],
  ['an error without a message', (id) => [message(id, '"error":{"code":1}')], invalid],
  ['an error that is null', (id) => [message(id, '"error":null')], invalid],
  ['another version of JSON-RPC', (id) => [`{"jsonrpc":"1.0","id":${id},"result":{}}`], invalid],
  ['NaN in its result', (id) => [message(id, '"result":{"n":NaN}')], invalid],
  ['a result without content', (id) => [message(id, '"result":{"resultType":"complete"}')], invalid],
  ['content that is an object', (id) => [message(id, '"result":{"content":{}}')], invalid],
  ['content with a block that is null', (id) => [message(id, '"result":{"content":[null]}')], invalid],
  [
    'a resultType that there is none of',
    (id) => [message(id, '"result":{"resultType":"later","content":[]}')],
    invalid,
  ],
  ['a resultType of 1 MB', (id) => [message(id, `"result":{"resultType":"${'x'.repeat(1_000_000)}"}`)], invalid],
  ['isError that is a text', (id) => [message(id, '"result":{"content":[],"isError":"no"}')], invalid],
  ['an answer to another id', (id) => [message(id + 1, '"result":{}')], late],
  ['an answer to its id as a text', (id) => [`{"jsonrpc":"2.0","id":"${id}",${result('"a":1')}}`], late],
  ['an answer to its id as 1.5', () => [message(1.5, '"result":{}')], late],
  ['a batch', (id) => [`[${message(id, result('"a":1'))}]`], late],
  ['an answer to nothing', () => ['{"jsonrpc":"2.0","result":{}}'], late],
  ['an error for nothing', () => ['{"jsonrpc":"2.0","error":{"code":-32700,"message":"\\u001b[31mbad"}}'], late],
  [
    'a cancellation of its own',
    (id) => [`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`],
    late,
  ],
  [
    'junk of every kind',
    () => ['', 'null', '7', '"x"', '[]', '[[]]', '{}', '{"id":1}', '}{', '\u0000', '\ufeff'],
    late,
  ],
  ['an id of 1 MB', () => [`{"jsonrpc":"2.0","id":"${'x'.repeat(1_000_000)}","result":{}}`], late],
  ['an id beyond every double', () => [`{"jsonrpc":"2.0","id":${'9'.repeat(400)},"result":{}}`], late],
  [
    'a thousand answers that nobody asked for',
    function* () {
      for (let at = 0; at < 1_000; at += 1) yield message(1e6 + at, '"result":{}');
    },
    late,
  ],
  [
    'requests where there are none',
    function* () {
      for (let at = 0; at < 1_000; at += 1) yield message(at, '"method":"sampling/createMessage","params":{}');
    },
    late,
  ],
  [
    'pings where there are none',
    function* () {
      for (let at = 0; at < 1_000; at += 1) yield message(at, '"method":"ping"');
    },
    late,
  ],
  [
    'cancellations of what never was',
    function* () {
      for (let at = 0; at < 5_000; at += 1)
        yield `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${at + 1e6}}}`;
    },
    late,
  ],
  [
    'changed lists without end',
    function* () {
      for (let at = 0; at < 20_000; at += 1) yield '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    },
    late,
  ],
  [
    'log messages without end',
    function* () {
      for (let at = 0; at < 20_000; at += 1)
        yield '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"x"}}';
    },
    late,
  ],
  [
    'progress of others without end',
    function* () {
      for (let at = 0; at < 20_000; at += 1)
        yield `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${at}","progress":1}}`;
    },
    late,
  ],
  [
    'notifications whose params are none',
    () => [
      '{"jsonrpc":"2.0","method":"notifications/progress","params":[]}',
      '{"jsonrpc":"2.0","method":"notifications/message","params":null}',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":7}}',
    ],
    late,
  ],
];

describe('a message of a server', () => {
  it.each(failing)('with %s fails its call alone, in time and by name', async (_name, hostile, codes) => {
    const seen: unknown[] = [];
    const { client, warnings } = await reach(hostile, { onNotification: (notification) => seen.push(notification) });
    const growth = await growthDuring(() =>
      expectRefused(
        client.callTool('t', {}, { onLog: () => undefined, onProgress: () => undefined }),
        codes[0] ?? 'timeout',
        ...codes,
      ),
    );
    expect(growth).toBeLessThan(64 * 1024 * 1024);
    await works(client);
    expect(seen.length).toBeLessThanOrEqual(3_000);
    expect(warnings.length).toBeLessThanOrEqual(2_000);
    for (const warning of warnings) {
      expect(warning.message).toContain('MCP server "depot"');
      expect(warning.message.length).toBeLessThan(1_000);
      expect(warning.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });

  const passing: readonly (readonly [string, (id: number) => Iterable<string>, object])[] = [
    [
      'its answer twice',
      (id) => ['first', 'second'].map((text) => message(id, `"result":{"content":[{"type":"text","text":"${text}"}]}`)),
      { content: [{ text: 'first' }] },
    ],
    [
      'the id twice: the last one counts',
      (id) => [`{"jsonrpc":"2.0","id":-9,"id":${id},${result('"a":1')}}`],
      { a: 1 },
    ],
    ['a lone surrogate', (id) => [message(id, result('"a":"\\ud800"'))], { a: '\ud800' }],
    [
      'members called __proto__ and constructor',
      (id) => [message(id, result('"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'))],
      { content: [] },
    ],
    ['a number over every double', (id) => [message(id, result('"a":1e999'))], { a: Infinity }],
    ['an array of 200,000 items', (id) => [message(id, result(`"a":[${'0,'.repeat(199_999)}0]`))], { content: [] }],
    [
      '100,000 members',
      (id) => [message(id, result(`"a":{${Array.from({ length: 100_000 }, (_, at) => `"m${at}":0`).join(',')}}`))],
      { content: [] },
    ],
    [
      'a blob that is no base64',
      (id) => [message(id, '"result":{"content":[{"type":"image","data":"!!!\\u0000","mimeType":"image/png"}]}')],
      { content: [{ data: '!!!\u0000' }] },
    ],
    [
      'a block of the future',
      (id) => [message(id, '"result":{"content":[{"type":"__proto__"}]}')],
      { content: [{ type: '__proto__' }] },
    ],
  ];

  it.each(passing)('may hold %s', async (_name, hostile, expected) => {
    const { client } = await reach(hostile);
    expect(await expectAccepted(client.callTool('t'))).toMatchObject(expected);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    await works(client);
  });

  it.each(['structuredContent', '_meta'])(
    'that nests a hundred thousand levels deep is refused: %s',
    async (member) => {
      const deep = `${'{"a":'.repeat(100_000)}0${'}'.repeat(100_000)}`;
      const { client } = await reach((id) => [message(id, result(`"${member}":${deep}`))]);
      await expectRefused(client.callTool('t'), 'result-rejected', 'invalid-response');
      await works(client);
    },
  );

  it('that is an error with control characters stays what the server said', async () => {
    const { client } = await reach((id) => [
      message(id, '"error":{"code":-32603,"message":"\\u001b[31mboom","data":{"a":[1]}}'),
    ]);
    expect((await expectPeerError(client.callTool('t'), -32_603)).data).toEqual({ a: [1] });
  });

  it('that is an error of 5 MB is cut', async () => {
    const { client } = await reach((id) => [message(id, `"error":{"code":1,"message":"${'x'.repeat(5_000_000)}"}`)]);
    expect((await expectPeerError(client.callTool('t'), 1)).message.length).toBeLessThan(70_000);
  });

  it('[progress-02] that tells of progress after its answer, for nobody or without a token is ignored', async () => {
    const seen: unknown[] = [];
    const { client, peer, warnings } = await reach(
      function* (id) {
        yield message(id, result('"a":1'));
        for (const token of [`"progressToken":${id},`, '"progressToken":"zz",', '']) {
          yield `{"jsonrpc":"2.0","method":"notifications/progress","params":{${token}"progress":9,"total":9}}`;
        }
      },
      { onNotification: (notification) => seen.push(notification) },
    );
    const told: unknown[] = [];
    await expectAccepted(client.callTool('t', {}, { onProgress: (progress) => told.push(progress) }));
    expect([told, seen, warnings]).toEqual([[], [], []]);
    await works(client);
    expect(peer.opened).toBe(1);
  });

  it('that comes after its call was given up is ignored, and the next call works', async () => {
    const { client, peer, warnings } = await reach(() => []);
    await expectRefused(client.callTool('t'), 'timeout');
    const { id } = peer.written.findLast(({ method }) => method === 'tools/call') ?? {};
    peer.answer(id, right);
    expect(warnings).toEqual([]);
    await works(client);
  });
});
