import { describe, expect, it } from 'vitest';
import { checkConfiguration, ConfigurationError, parseConfiguration } from '@switchyard/config';

const path = '/etc/switchyard/switchyard.yaml';

const EXAMPLE = `# yaml-language-server: $schema=./node_modules/@switchyard/config/schema/switchyard.schema.json
mcpServers:
  book-orders:
    command: node
    args: [server.ts, --verbose]
    env: { ORDERS_DB: "\${ORDERS_DB:-orders.json}" }
    cwd: servers/orders
    timeoutMs: 5000
  remote:
    type: streamable-http
    url: https://example.com/mcp
    headers: { Authorization: "Bearer \${ORDERS_TOKEN}" }
  off: { command: x, args: ["\${NOT_SET}"], disabled: true }
agents:
  reader:
    description: may read, never write
    allow: ["book-orders__*", "resource:book-orders:*", "prompt:remote__*"]
gateway:
  port: 0
  anonymousAgent: reader
limits:
  maxResultBytes: 2048
`;

describe('parseConfiguration', () => {
  it('answers everything resolved: defaults, variables, absolute paths, one spelling of type', () => {
    const { configuration, warnings } = parseConfiguration(EXAMPLE, { path, env: { ORDERS_TOKEN: 't-1' } });
    expect(configuration).toEqual({
      folder: '/etc/switchyard',
      mcpServers: {
        'book-orders': {
          type: 'stdio',
          command: 'node',
          args: ['server.ts', '--verbose'],
          env: { ORDERS_DB: 'orders.json' },
          cwd: '/etc/switchyard/servers/orders',
          timeoutMs: 5000,
        },
        remote: {
          type: 'http',
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer t-1' },
          timeoutMs: 60_000,
        },
      },
      disabledServers: ['off'],
      agents: {
        reader: {
          description: 'may read, never write',
          allow: ['book-orders__*', 'resource:book-orders:*', 'prompt:remote__*'],
          ask: [],
          deny: [],
        },
      },
      gateway: {
        host: '127.0.0.1',
        port: 0,
        path: '/mcp',
        anonymousAgent: 'reader',
        allowedOrigins: [],
        allowedHosts: [],
      },
      limits: {
        callTimeoutMs: 60_000,
        startTimeoutMs: 15_000,
        maxResultBytes: 2048,
        maxBodyBytes: 4_194_304,
        maxArgumentsBytes: 1_048_576,
        maxConcurrentCalls: 256,
      },
      audit: { path: '/etc/switchyard/.switchyard/audit.db', durability: 'process' },
    });
    expect(warnings).toEqual([]);
  });

  it('lets a server without timeoutMs take limits.callTimeoutMs', () => {
    const text = 'mcpServers: { a: { command: x }, b: { command: x, timeoutMs: 7 } }\nlimits: { callTimeoutMs: 90 }';
    const { mcpServers } = parseConfiguration(text, { path, env: {} }).configuration;
    expect([mcpServers['a']?.timeoutMs, mcpServers['b']?.timeoutMs]).toEqual([90, 7]);
  });

  it('runs a program in the folder of the configuration unless cwd says otherwise', () => {
    const cwdOf = (cwd: string): unknown =>
      parseConfiguration(`mcpServers: { a: { command: x, ${cwd} } }`, { path, env: { DIR: '/data' } }).configuration
        .mcpServers['a'];
    expect(cwdOf('')).toMatchObject({ cwd: '/etc/switchyard' });
    expect(cwdOf('cwd: ../b')).toMatchObject({ cwd: '/etc/b' });
    expect(cwdOf('cwd: "${DIR}/c"')).toMatchObject({ cwd: '/data/c' });
  });

  it('resolves a relative path of the file against the folder that it is given, and against nothing else', () => {
    const read = (cwd?: string): string =>
      parseConfiguration('mcpServers: {}', { path: 'conf/a.yaml', cwd, env: {} }).configuration.folder;
    expect(read('/srv')).toBe('/srv/conf');
    expect(() => read()).toThrow('conf/a.yaml: the path is relative');
    expect(() => read('srv')).toThrow('conf/a.yaml: the path is relative');
  });

  it('is frozen all the way down', () => {
    const { configuration } = parseConfiguration(EXAMPLE, { path, env: { ORDERS_TOKEN: 't' } });
    const thaw = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : [...(Object.isFrozen(value) ? [] : [JSON.stringify(value)]), ...Object.values(value).flatMap(thaw)];
    expect(thaw(configuration)).toEqual([]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
    'has no server, agent, variable or header %s that the file does not name',
    (key) => {
      const text = 'mcpServers: { a: { command: x }, b: { url: "http://h" } }';
      const { mcpServers, agents } = parseConfiguration(text, { path, env: {} }).configuration;
      const [a, b] = [mcpServers['a'], mcpServers['b']];
      expect(key in mcpServers || key in agents).toBe(false);
      expect(a?.type === 'stdio' && key in a.env).toBe(false);
      expect(b?.type === 'http' && key in b.headers).toBe(false);
    },
  );

  it.each(['constructor', 'toString', '書店', 'crème brûlée', 'Заказы', 'a.b', '🛶'])(
    'takes %s for a server id',
    (id) => {
      const { mcpServers } = parseConfiguration(JSON.stringify({ mcpServers: { [id]: { command: 'x' } } }), {
        path,
        env: {},
      }).configuration;
      expect(Object.keys(mcpServers)).toEqual([id]);
    },
  );

  it.each([
    ['yaml', 'mcpServers:\n  a: { command: x }\n'],
    ['yml', '\uFEFFmcpServers:\r\n  a:\r\n    command: x\r\n'],
    ['json', '{ "$schema": "s.json", "mcpServers": { "a": { "command": "x" } } }'],
    ['JSON', '\uFEFF{\r\n  "mcpServers": { "a": { "command": "x" } }\r\n}'],
    ['jsonc', '// servers\n{ "mcpServers": { "a": { "command": "x", }, }, /* all */ }'],
  ])('reads .%s by its ending', (ending, text) => {
    const { mcpServers } = parseConfiguration(text, { path: `/c/switchyard.${ending}`, env: {} }).configuration;
    expect(Object.keys(mcpServers)).toEqual(['a']);
  });

  it('takes the format that it is told over the ending', () => {
    const options = { path: '/c/mcp.config', env: {} };
    expect(() => parseConfiguration('{}', options)).toThrow('the name ends in none of .yaml, .yml, .json and .jsonc');
    expect(parseConfiguration('{}', { ...options, format: 'json' }).configuration.disabledServers).toEqual([]);
  });

  it('follows anchors, aliases and merge keys; own keys win over merged ones', () => {
    const text = `mcpServers:
  a: &base
    command: node
    args: &args [one.mjs]
    env: { LEVEL: info }
  b: { <<: *base, args: [two.mjs] }
  c: { command: deno, args: *args }
  d: { <<: [{ command: first }, *base] }
`;
    const { mcpServers } = parseConfiguration(text, { path, env: {} }).configuration;
    expect(mcpServers).toMatchObject({
      b: { command: 'node', args: ['two.mjs'], env: { LEVEL: 'info' } },
      c: { command: 'deno', args: ['one.mjs'] },
      d: { command: 'first', args: ['one.mjs'] },
    });
  });

  it('tells where a key or a list item stands', () => {
    const { positionOf } = parseConfiguration(EXAMPLE, { path, env: { ORDERS_TOKEN: 't' } });
    expect(positionOf(['mcpServers', 'book-orders'])).toEqual({ line: 3, column: 3 });
    expect(positionOf(['mcpServers', 'book-orders', 'args', 1])).toEqual({ line: 5, column: 23 });
    expect(positionOf(['agents', 'reader', 'allow', 0])).toEqual({ line: 17, column: 13 });
    expect(positionOf(['mcpServers', 'nobody', 'command'])).toBeUndefined();
    expect(positionOf(['audit'])).toBeUndefined();
  });

  it('counts columns behind a byte order mark and after CRLF as editors do', () => {
    const text = '\uFEFFmcpServers:\r\n  a: { comand: x }\r\n';
    expect(() => parseConfiguration(text, { path, env: {} })).toThrow(`${path}:2:8 unknown key "comand"`);
  });
});

describe('checkConfiguration', () => {
  const options = { folder: '/srv', env: { T: 't-1' } };

  it('takes a value in the shape of the file, with its variables', () => {
    const { configuration, positionOf } = checkConfiguration(
      { mcpServers: { a: { url: 'http://localhost/mcp', headers: { A: '${T}' }, timeoutMs: undefined } } },
      options,
    );
    expect(configuration.mcpServers['a']).toEqual({
      type: 'http',
      url: 'http://localhost/mcp',
      headers: { A: 't-1' },
      timeoutMs: 60_000,
    });
    expect(configuration.audit.path).toBe('/srv/.switchyard/audit.db');
    expect(positionOf(['mcpServers', 'a'])).toEqual({ line: 0, column: 0 });
  });

  const circle: Record<string, unknown> = {};
  circle['mcpServers'] = circle;
  it.each([
    ['a misspelled key', { mcpServer: {} }, 'configuration: unknown key "mcpServer" at the top level'],
    ['a function', { agents: () => ({}) }, 'configuration: agents is a value that a configuration file could not hold'],
    ['an instance of a class', { agents: new Map() }, 'configuration: agents is a value that'],
    ['a circle', circle, 'configuration: the value is nested deeper than 64 levels'],
    [
      'an own key __proto__',
      JSON.parse('{"__proto__":{}}'),
      'configuration: the key "__proto__" at the top level is refused',
    ],
    ['nothing', undefined, 'configuration: the top level must be a map, found nothing'],
    ['too much', { mcpServers: Array.from({ length: 100_001 }, () => 1) }, 'or larger than 100000 values'],
  ])('refuses %s', (_, value, message) => {
    expect(() => checkConfiguration(value, options)).toThrow(message);
    expect(() => checkConfiguration(value, options)).toThrow(ConfigurationError);
  });

  it('refuses a relative folder', () => {
    expect(() => checkConfiguration({}, { ...options, folder: 'srv' })).toThrow('the option folder is relative');
  });
});
