import { describe, expect, it } from 'vitest';
import { nearest } from '../src/nearest.ts';

const KEYS = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'timeoutMs', 'mcpServers'];

describe('nearest', () => {
  it.each([
    ['comand', 'command'],
    ['commnad', 'command'],
    ['Command', 'command'],
    ['arg', 'args'],
    ['rags', 'args'],
    ['environment', 'env'],
    ['header', 'headers'],
    ['timeout', 'timeoutMs'],
    ['servers', 'mcpServers'],
    ['URL', 'url'],
    ['mcp', 'mcpServers'],
  ])('answers for %s: %s', (word, expected) => {
    expect(nearest(word, KEYS)).toBe(expected);
  });

  it.each(['', 'zzz', 'x', 'pwd1', 'unrelated', 'comand'.repeat(20)])('answers nothing for %j', (word) => {
    expect(nearest(word, KEYS)).toBeUndefined();
  });

  it('prefers a slip of the finger over a common beginning', () => {
    expect(nearest('port', ['portrait', 'ports'])).toBe('ports');
  });

  it('looks at a thousand candidates and no more', () => {
    const many = Array.from({ length: 1000 }, (_, index) => `server-${index}-of-many`);
    expect(nearest('reader', [...many, 'readers'])).toBeUndefined();
    expect(nearest('reader', [...many.slice(1), 'readers'])).toBe('readers');
  });
});
