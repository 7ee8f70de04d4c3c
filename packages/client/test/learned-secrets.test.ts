import { describe, expect, it } from 'vitest';
import { createPeerContext } from '../src/peer/peer-context.ts';

const token = 'tok-of-mira-0123456789';

describe('a secret that a client learns', () => {
  it('is masked from then on', () => {
    const { mask, learnSecret } = createPeerContext({ server: 'depot', secrets: ['configured-secret'] });
    expect(mask(`no ${token}`)).toContain(token);
    learnSecret(token);
    expect(mask(`no ${token} and configured-secret`)).toBe('no [redacted] and [redacted]');
  });

  it('is not forgotten for what the server makes up, however much that is, and so is that itself', () => {
    const { mask, learnSecret } = createPeerContext({ server: 'depot' });
    learnSecret(token);
    for (let at = 0; at < 1000; at += 1) learnSecret(`session-of-the-server-${at}`, 'server');
    expect(mask(token)).toBe('[redacted]');
    expect(mask('session-of-the-server-999')).toBe('[redacted]');
  });

  it('is forgotten later than those that are not in use', () => {
    const { mask, learnSecret } = createPeerContext({ server: 'depot' });
    for (let at = 0; at < 150; at += 1) {
      learnSecret(`another-secret-${at}`);
      learnSecret(token);
    }
    expect(mask(token)).toBe('[redacted]');
    expect(mask('another-secret-0.')).toBe('another-secret-0.');
  });
});
