import { describe, expect, it } from 'vitest';
import { nearestName, nearestNames } from '../src/nearest-names.ts';

const KEYS = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'timeoutMs', 'mcpServers'];

describe('the nearest name', () => {
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
    expect(nearestName(word, KEYS)).toBe(expected);
  });

  it.each(['', 'zzz', 'x', 'pwd1', 'unrelated', 'comand'.repeat(20)])('answers nothing for %j', (word) => {
    expect(nearestName(word, KEYS)).toBeUndefined();
  });

  it('prefers a slip of the finger over a common beginning', () => {
    expect(nearestName('port', ['portrait', 'ports'])).toBe('ports');
  });

  it('looks at five thousand candidates and no more', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `server-${index}-of-many`);
    expect(nearestName('reader', [...many, 'readers'])).toBeUndefined();
    expect(nearestName('reader', [...many.slice(1), 'readers'])).toBe('readers');
  });
});

describe('the nearest names', () => {
  const tools = ['orders__get_order', 'orders__list', 'billing__get_invoice', 'billing__list'];

  it.each<[string, readonly string[]]>([
    ['orders__get_ordr', ['orders__get_order']],
    ['ORDERS__LIST', ['orders__list', 'billing__list']],
    ['get_invoice', ['billing__get_invoice']],
    ['order__list', ['orders__list', 'billing__list']],
    ['orders__lst', ['orders__list']],
    ['shop__list', ['orders__list', 'billing__list']],
    ['wholly_different', []],
    ['', []],
  ])('to the exposed name %j are found by server, by slips and by the tool alone', (word, near) => {
    expect(nearestNames(word, tools)).toEqual(near);
  });

  it('stand in the order of their likeliness, as many as are wanted', () => {
    expect(nearestNames('port', ['transport', 'portrait', 'ports', 'PORT'])).toEqual(['PORT', 'ports', 'portrait']);
    expect(nearestNames('port', ['transport', 'portrait', 'ports', 'PORT'], 1)).toEqual(['PORT']);
  });
});
