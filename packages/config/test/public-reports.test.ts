import { describe, expect, it } from 'vitest';
import { ConfigurationError, parseConfiguration } from '@switchyard/config';

const read = (config: unknown, env: Record<string, string>): ReturnType<typeof parseConfiguration> =>
  parseConfiguration(typeof config === 'string' ? config : JSON.stringify(config), { path: '/c/s.json', env });

describe('a placeholder passed on as it stands, or a missing variable that becomes an empty text', () => {
  const env = { KILN_TOKEN: 't-1', EMPTY: '', PORT: '8123' };
  const ok = { command: 'node', args: ['s.mjs', '--p=${PORT}', '${NOPE:-7}'], env: { T: '${KILN_TOKEN}' }, cwd: '.' };
  const web = { url: 'https://mcp.kiln.test:${PORT}/mcp', headers: { Authorization: 'Bearer ${KILN_TOKEN}' } };
  const blank = { command: 'node', args: ['${EMPTY}'] };
  const bad = { url: 'https://x.kiln.test/mcp', headers: { Authorization: 'Bearer ${MISSING_ONE}' } };

  it('does not happen: variables are replaced, and a set but empty one stays empty', () => {
    const { mcpServers } = read({ mcpServers: { ok, web, blank } }, env).configuration;
    expect(mcpServers).toMatchObject({
      ok: { args: ['s.mjs', '--p=8123', '7'], env: { T: 't-1' }, cwd: '/c' },
      web: { url: 'https://mcp.kiln.test:8123/mcp', headers: { Authorization: 'Bearer t-1' } },
      blank: { args: [''] },
    });
  });

  it('names the variable and its place, and no value of another', () => {
    const reading = (): unknown => read({ mcpServers: { ok, bad } }, env);
    expect(reading).toThrow(/the variable MISSING_ONE in mcpServers\.bad\.headers\.Authorization is not set/);
    expect(reading).not.toThrow(/t-1|8123/);
  });

  it('lets the other servers start once the one that lacks a variable is disabled', () => {
    const { mcpServers, disabledServers } = read(
      { mcpServers: { ok, bad: { ...bad, disabled: true } } },
      env,
    ).configuration;
    expect([Object.keys(mcpServers), disabledServers]).toEqual([['ok'], ['bad']]);
  });
});

describe('a byte order mark that makes a sound file a broken one', () => {
  const sound = '{\r\n  "mcpServers": { "depot": { "command": "node", "args": ["d.mjs"] } }\r\n}';

  it('does not happen', () => {
    expect(read(`\uFEFF${sound}`, {}).configuration.mcpServers).toMatchObject({ depot: { args: ['d.mjs'] } });
  });

  it.each([
    ['a trailing comma', sound.replace('] }', '], }'), 2],
    ['a comment', sound.replace('{\r\n', '{ // servers\r\n'), 1],
    ['a text cut in half', sound.slice(0, sound.length / 2), 2],
    ['a list of servers', '{\r\n  "mcpServers": [] }', 2],
    ['an empty file', '', 1],
    ['unknown keys', sound.replace('"args"', '"arguments"'), 2],
  ])('and %s has a message with line and column', (_, text, line) => {
    const reading = (): unknown => read(`\uFEFF${text}`, {});
    expect(reading).toThrow(ConfigurationError);
    expect(reading).toThrow(new RegExp(`^/c/s\\.json:${line}:[1-9]`));
  });
});
