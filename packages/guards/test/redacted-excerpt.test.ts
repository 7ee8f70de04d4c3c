import { redactedExcerpt } from '@switchyard/guards';
import { describe, expect, it } from 'vitest';

const key = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';

describe('a redacted excerpt', () => {
  it('holds no secret, wherever the cut falls', () => {
    const text = `fetching https://mira:hunter2@host/ with ${key} and password=correct-horse failed`;
    for (let maxChars = 0; maxChars <= text.length + 5; maxChars += 1) {
      const excerpt = redactedExcerpt(text, maxChars);
      expect(excerpt.length).toBeLessThanOrEqual(maxChars);
      expect(excerpt).not.toMatch(/hunter|ghp_0|correct/);
    }
  });

  it('finds a secret that invisible characters and line ends are strewn into', () => {
    const strewn = key.replace('0123', '01\u200b2\u202e3');
    expect(redactedExcerpt(`first\nsecond \u001b[31m${strewn}`, 100)).toBe('first second [redacted]');
  });

  it.each(['> ', '10:00:00 [worker] ', '  1\t'])('finds a private key behind %j on each line', (prefix) => {
    const lines = [
      '-----BEGIN PRIVATE KEY-----',
      'aBcd/+09'.repeat(8),
      'aBcd/+09',
      '-----END PRIVATE KEY-----',
      'done',
    ];
    const excerpt = redactedExcerpt(lines.map((line) => prefix + line).join('\n'), 400);
    expect(excerpt).not.toContain('aBcd');
    expect(excerpt).toMatch(/\[redacted\] .*done$/);
  });

  it('is a short harmless text itself', () => {
    expect(redactedExcerpt('no such file', 100)).toBe('no such file');
  });
});
