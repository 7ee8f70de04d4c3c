import type * as guards from '@switchyard/guards';
import { expect, it, vi } from 'vitest';

import { cleanText } from '../../src/transcript/clean-value.ts';
import { createPlaceholders } from '../../src/transcript/placeholders.ts';

const effort = vi.hoisted(() => ({ characters: 0 }));

vi.mock('@switchyard/guards', async (original) => {
  const real = await original<typeof guards>();
  return {
    ...real,
    redactSecrets(text: string) {
      effort.characters += text.length;
      return real.redactSecrets(text);
    },
  };
});

/** How many characters are looked at for credentials while a text is cleaned. */
function effortFor(text: string): number {
  effort.characters = 0;
  cleanText(text, createPlaceholders());
  return effort.characters;
}

function nest(text: string, wrap: (inner: string) => string, levels: number): string {
  return levels === 0 ? text : nest(wrap(text), wrap, levels - 1);
}

const json = (text: string): string => JSON.stringify({ a: text });
const percent = (text: string): string => encodeURIComponent(json(text));
const form = (text: string): string => `q\u200b ${percent(text).replaceAll('%20', '+')}+ q`;
const base64 = (text: string): string => Buffer.from(json(text)).toString('base64');
const folded = (text: string): string => json(`${text}\u200b`);

it.each([
  ['forms', form],
  ['percent-encoding', percent],
  ['JSON', json],
  ['invisible characters', folded],
  ['base64', base64],
])('looks at each character a bounded number of times, however deep it stands in %s', (_what, wrap) => {
  const nested = `${nest('x y ', wrap, 6)} `;
  const text = nested.repeat(Math.ceil(100_000 / nested.length));
  expect(effortFor(text)).toBeLessThan(25 * text.length);
  expect(effortFor(text + text)).toBeLessThan(25 * 2 * text.length);
});

it('looks at a long name once for each value, and not at all of it', () => {
  const text = JSON.stringify({ ['n'.repeat(20_000)]: Array.from({ length: 5_000 }, () => 'a') });
  expect(effortFor(text)).toBeLessThan(25 * text.length);
});

it('masks what would take longer to look into, harmless or not', () => {
  const nested = `${nest('x y ', form, 6)} `;
  expect(cleanText(nested, createPlaceholders())).not.toContain('[redacted]');
  expect(cleanText(nested.repeat(1_000), createPlaceholders())).toContain('[redacted]');
  const behind = base64('token=8fJq2LxV0pTz7RkB');
  expect(cleanText(`${nested.repeat(1_000)} ${behind}`, createPlaceholders())).not.toContain(behind);
});

it('looks into what is nested as deep as answers are', () => {
  const text = nest('a “quoted”\u00a0text of password=hunter2 and so on. '.repeat(1_000), json, 3);
  const cleaned = cleanText(text, createPlaceholders());
  expect(cleaned).toContain('and so on');
  expect(cleaned).not.toContain('hunter2');
});
