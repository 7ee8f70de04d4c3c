import { describe, expect, test } from 'vitest';
import { isExtensionIdentifier, isMetaKey, isReservedMetaKey } from '../src/meta-key.ts';

describe('isMetaKey', () => {
  test.each([
    'progressToken',
    'a',
    '7',
    'a-b_c.d',
    '',
    'com.example/',
    'com.example/key',
    'io.modelcontextprotocol/protocolVersion',
    'x/y',
    'a1-b.c2/n',
    'dev.switchyard/verdict',
  ])('[META-13] [META-16] accepts %j', (key) => {
    expect(isMetaKey(key)).toBe(true);
  });

  test.each([
    '/x',
    '.com/x',
    'com./x',
    'com..example/x',
    '1com/x',
    'com.1x/x',
    '-a/x',
    'a-/x',
    'com.exa_mple/x',
    'çom/x',
    'a b/x',
  ])('[META-13] refuses the prefix of %j', (key) => {
    expect(isMetaKey(key)).toBe(false);
  });

  test.each(['-a', 'a-', '.a', 'a.', '_a', 'a_', '-', 'a b', 'é', 'a\n', 'com.example/-a', 'com.example/a/b', 'a//b'])(
    '[META-16] refuses the name of %j',
    (key) => {
      expect(isMetaKey(key)).toBe(false);
    },
  );

  test('takes time that grows with the length', () => {
    const long = '-'.repeat(500_000);
    expect(isMetaKey(`a${long}`)).toBe(false);
    expect(isMetaKey(`a${long}/a${long}`)).toBe(false);
    expect(isMetaKey(`${'a.'.repeat(250_000)}/x`)).toBe(false);
  });
});

describe('isReservedMetaKey', () => {
  test.each([
    'io.modelcontextprotocol/protocolVersion',
    'dev.mcp/x',
    'org.modelcontextprotocol.api/x',
    'com.mcp.tools/x',
    'com.MCP/x',
    'com.mcp/',
    'progressToken',
    'traceparent',
    'tracestate',
    'baggage',
  ])('[META-15] reserves %j', (key) => {
    expect(isReservedMetaKey(key)).toBe(true);
  });

  test.each([
    'com.example.mcp/x',
    'mcp/x',
    'modelcontextprotocol/x',
    'com.mcpx/x',
    'dev.switchyard/verdict',
    'mcp',
    'com.mcp',
    'Traceparent',
    '',
  ])('[META-15] leaves %j to others', (key) => {
    expect(isReservedMetaKey(key)).toBe(false);
  });
});

describe('isExtensionIdentifier', () => {
  test.each([
    ['io.modelcontextprotocol/ui', true],
    ['com.example/my-ext', true],
    ['tasks', false],
    ['', false],
    ['/ui', false],
    ['com..example/ui', false],
    ['com.example/ui/', false],
  ])('[META-19] answers for %j: %j', (identifier, answer) => {
    expect(isExtensionIdentifier(identifier)).toBe(answer);
  });
});
