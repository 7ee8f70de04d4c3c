import { describe, expect, it } from 'vitest';
import { didYouMean } from '../src/arguments/did-you-mean.ts';
import { parseArgumentObject, parseArguments, parsePromptArguments } from '../src/arguments/parse-pairs.ts';
import { splitCommand } from '../src/arguments/split-command.ts';
import { readBareServer } from '../src/target/on-target.ts';
import { serverNameOf } from '../src/target/server-name.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    limit: { type: 'integer' },
    ratio: { type: 'number' },
    exact: { type: 'boolean' },
    nothing: { type: 'null' },
    maybe: { type: ['integer', 'null'] },
    either: { type: ['integer', 'string'] },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
    filter: { type: 'object' },
    colour: { enum: ['red', 'green'] },
    level: { enum: [1, 2, 'high'] },
    union: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    reference: { $ref: '#/$defs/Count' },
    circular: { $ref: '#/properties/circular' },
    free: {},
  },
  $defs: { Count: { type: 'integer' } },
};

describe('parseArguments', () => {
  it.each<[string, unknown]>([
    ['text=3', '3'],
    ['text=@file', '@file'],
    ['text=a=b', 'a=b'],
    ['text=', ''],
    ['limit=3', 3],
    ['limit=1234567890123456789', 1_234_567_890_123_456_789n],
    ['limit=three', 'three'],
    ['limit=03', '03'],
    ['ratio=-0.5e2', -50],
    ['exact=true', true],
    ['exact=false', false],
    ['exact=yes', 'yes'],
    ['nothing=null', null],
    ['maybe=null', null],
    ['maybe=4', 4],
    ['either=4', '4'],
    ['tags=red', ['red']],
    ['tags=["a","b"]', ['a', 'b']],
    ['sizes=1', [1]],
    ['filter={"a":9007199254740993}', { a: 9_007_199_254_740_993n }],
    ['filter=a', 'a'],
    ['colour=red', 'red'],
    ['level=2', 2],
    ['level=high', 'high'],
    ['union=true', true],
    ['union=7', 7],
    ['reference=5', 5],
    ['circular=5', '5'],
    ['free=5', '5'],
    ['free:=5', 5],
    ['text:={"a":[1]}', { a: [1] }],
    ['unknown:="any"', 'any'],
  ])('reads %s by the schema', (pair, value) => {
    expect(Object.values(parseArguments([pair], schema))).toEqual([value]);
  });

  it('makes an array of a key that is given again, each item by the schema', () => {
    expect(parseArguments(['tags=a', 'sizes=1', 'tags=b', 'sizes:=2', 'free=x', 'free=y'], schema)).toEqual({
      tags: ['a', 'b'],
      sizes: [1, 2],
      free: ['x', 'y'],
    });
  });

  it('takes a member called __proto__ for what it is', () => {
    const args = parseArguments(['__proto__:={"a":1}']);
    expect(Object.keys(args)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });

  it.each<[readonly string[], RegExp]>([
    [['limt=3'], /no argument "limt".*Did you mean limit\?/],
    [['zzzzzz=3'], /arguments are text, limit/],
    [['limit'], /Expected key=value/],
    [['=3'], /Expected key=value/],
    [['limit:=three'], /limit:= is not JSON/],
    [['text=a', 'text=b'], /text is given 2 times/],
  ])('refuses %j', (pairs, message) => {
    expect(() => parseArguments(pairs, schema)).toThrow(message);
  });

  it.each([
    undefined,
    {},
    { type: 'object' },
    { properties: {} },
    { ...schema, additionalProperties: true },
    { ...schema, additionalProperties: { type: 'string' } },
  ])('takes any key under %j', (open) => {
    expect(parseArguments(['whatever=3'], open)).toEqual({ whatever: '3' });
  });

  it('refuses every key of a tool that takes none', () => {
    expect(() => parseArguments(['a=1'], { properties: {}, additionalProperties: false })).toThrow(
      'It takes no arguments.',
    );
  });
});

describe('other arguments', () => {
  it('reads --args as one JSON object with all digits', () => {
    expect(parseArgumentObject('{"id":1234567890123456789}')).toEqual({ id: 1_234_567_890_123_456_789n });
    for (const text of ['', '[1]', '3', '{a:1}']) expect(() => parseArgumentObject(text)).toThrow(/--args/);
  });

  it('reads the arguments of a prompt as texts', () => {
    expect(parsePromptArguments(['a=3', 'b:="x"'])).toEqual({ a: '3', b: 'x' });
    expect(() => parsePromptArguments(['a:=3'])).toThrow(/must be a text/);
    expect(() => parsePromptArguments(['a=3', 'a=4'])).toThrow(/given twice/);
  });
});

describe('splitCommand', () => {
  it.each<[string, readonly string[]]>([
    ['node server.js', ['node', 'server.js']],
    ['  node   server.js  --a ', ['node', 'server.js', '--a']],
    [`node 'my server.js' "two words" a'b'c`, ['node', 'my server.js', 'two words', 'abc']],
    [`node '' ""`, ['node', '', '']],
    [String.raw`node my\ server.js a\"b "c\"d" 'e\f'`, ['node', 'my server.js', 'a"b', 'c"d', String.raw`e\f`]],
    [String.raw`node C:\tools\server.js`, ['node', String.raw`C:\tools\server.js`]],
    ['echo $HOME *.js | cat > x; y', ['echo', '$HOME', '*.js', '|', 'cat', '>', 'x;', 'y']],
  ])('splits %s', (text, [command, ...args]) => {
    expect(splitCommand(text)).toEqual({ command, args });
  });

  it.each(['', '   ', "node 'open", 'node "open', "''"])('refuses %j', (text) => {
    expect(() => splitCommand(text)).toThrow(/--server/);
  });

  it('says where a variable before the program belongs, without its value', () => {
    expect(() => splitCommand('API_KEY=k-1234567 node x.js')).toThrow(/variable API_KEY.*--env 'API_KEY=…'/);
    expect(() => splitCommand('API_KEY=k-1234567 node x.js')).not.toThrow(/k-1234567/);
  });
});

describe('serverNameOf', () => {
  it.each<[string, string]>([
    ['node server.js', 'server.js'],
    ['/usr/bin/node --conditions=@switchyard/source src/main.ts --port 3', 'main.ts'],
    ['node --import ./preflight.js --enable-source-maps dist/index.js', 'index.js'],
    ['npx -y @modelcontextprotocol/server-everything stdio', 'server-everything'],
    ['npm exec -- orders-server', 'orders-server'],
    ['python3.12 -m orders_server', 'orders_server'],
    ['uv run server.py', 'server.py'],
    ['uvx mcp-server-git@1.2', 'mcp-server-git@1.2'],
    ['node.exe server.js', 'server.js'],
    ['./orders-server config.json', 'orders-server'],
    ['node -e process.exit()', 'node'],
    ['node', 'node'],
  ])('calls the server of %j %s', (line, name) => {
    const { command, args } = splitCommand(line);
    expect(serverNameOf(command, args)).toBe(name);
  });
});

const here = { cwd: '/here', env: { OWN: 's3cret', EMPTY: '' } };

describe('readBareServer', () => {
  it.each<[object, object | undefined]>([
    [{}, undefined],
    [
      { server: 'node x', env: ['A=b=c'] },
      { command: 'node', args: ['x'], env: { A: 'b=c' }, cwd: '/here' },
    ],
    [
      { server: 'node x', env: ['OWN', 'A=b', 'EMPTY'] },
      { command: 'node', args: ['x'], env: { OWN: 's3cret', A: 'b', EMPTY: '' }, cwd: '/here' },
    ],
    [{ server: 'http://a.test/mcp' }, { url: 'http://a.test/mcp', headers: {} }],
    [
      { url: 'https://a.test', header: ['A: b: c', 'X-Y:z'] },
      { url: 'https://a.test', headers: { A: 'b: c', 'X-Y': 'z' } },
    ],
  ])('reads %j', (flags, server) => {
    expect(readBareServer(flags, here)).toEqual(server);
  });

  it.each<[object, RegExp]>([
    [{ server: 'node x', url: 'http://a.test' }, /not both/],
    [{ server: 'node x', config: 'f' }, /--config belongs to a configuration/],
    [{ url: 'http://a.test', as: 'reader' }, /--as belongs to a configuration/],
    [{ url: 'ftp://a.test' }, /must start with http/],
    [{ url: 'http://' }, /no URL/],
    [{ header: ['A: b'] }, /--header needs --url/],
    [{ env: ['A=b'] }, /--env needs --server/],
    [{ server: 'node x', header: ['A: b'] }, /--header is for a URL/],
    [{ url: 'http://a.test', env: ['A=b'] }, /--env is for a server that is started/],
    [{ server: 'node x', env: ['=b'] }, /NAME=value/],
    [{ server: 'node x', env: ['ghp-x'] }, /^(?!.*ghp).*NAME=value/],
    [{ server: 'node x', env: ['UNSET'] }, /--env UNSET .* not set here/],
  ])('refuses %j', (flags, message) => {
    expect(() => readBareServer(flags, here)).toThrow(message);
  });

  it('refuses a header that is none without repeating it, since it may hold a token', () => {
    for (const header of ['s3cret', ': s3cret', 'A b: s3cret', 'A: s3cret\r\nB: c']) {
      expect(() => readBareServer({ url: 'http://a.test', header: [header] }, here)).toThrow(
        /^(?!.*s3cret).*Name: value/,
      );
    }
  });
});

it('the end of a message names what was probably meant, or nothing', () => {
  const names = ['orders__get_order', 'orders__list'];
  expect(didYouMean('wholly_different', names)).toBe('');
  expect(didYouMean('orders__lst', names)).toBe(' Did you mean orders__list?');
});
