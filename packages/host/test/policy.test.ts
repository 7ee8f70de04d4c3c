import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { exposedName } from '../src/catalog/exposed-name.ts';
import { createAgentPolicy } from '../src/policy/agent-policy.ts';
import { createCedarPolicy } from '../src/policy/cedar.ts';
import { globMatches, globsOverlap } from '../src/policy/glob.ts';
import { governedByName, governedByUri } from '../src/policy/governed.ts';
import { memoizeVerdicts } from '../src/policy/verdict-memo.ts';

type Lists = { allow?: string[]; ask?: string[]; deny?: string[] };

function policyOf({ allow = [], ask = [], deny = [] }: Lists, servers: string[] = ['fs', 'my docs']) {
  return createAgentPolicy('reader', { allow, ask, deny }, servers);
}

function effectOn(lists: Lists, server: string, name: string, kind: 'tool' | 'prompt' = 'tool') {
  return policyOf(lists).decide(governedByName(kind, server, name)).effect;
}

describe('the short form', () => {
  it('denies what no entry matches', () => {
    expect(effectOn({}, 'fs', 'read')).toBe('deny');
    expect(effectOn({ allow: ['other__*'] }, 'fs', 'read')).toBe('deny');
  });

  it.each([
    [{ allow: ['fs__*'] }, 'permit'],
    [{ allow: ['fs__*'], ask: ['fs__read'] }, 'ask'],
    [{ allow: ['fs__*'], ask: ['fs__read'], deny: ['*__read'] }, 'deny'],
    [{ ask: ['fs__*'], deny: ['fs__write'] }, 'ask'],
  ] satisfies [Lists, string][])('lets deny beat ask and ask beat allow: %j is %s', (lists, effect) => {
    expect(effectOn(lists, 'fs', 'read')).toBe(effect);
  });

  it('keeps tools, prompts and resources apart', () => {
    const { decide } = policyOf({ allow: ['fs__x', 'prompt:fs__y', 'resource:fs:file:///z*'] });
    expect(decide(governedByName('tool', 'fs', 'x')).effect).toBe('permit');
    expect(decide(governedByName('prompt', 'fs', 'x')).effect).toBe('deny');
    expect(decide(governedByName('prompt', 'fs', 'y')).effect).toBe('permit');
    expect(decide(governedByUri('fs', 'file:///z/1')).effect).toBe('permit');
    expect(decide(governedByUri('fs', 'file:///a')).effect).toBe('deny');
    expect(decide(governedByUri('other', 'file:///z/1')).effect).toBe('deny');
  });

  it('matches a tool whose name was made safe under its own name, too', () => {
    expect(effectOn({ allow: ['fs__*'], deny: ['fs__ship.create'] }, 'fs', 'ship.create')).toBe('deny');
    expect(effectOn({ allow: ['fs__*'], deny: ['fs__ship.create'] }, 'fs', 'ship_create')).toBe('permit');
    expect(effectOn({ allow: [exposedName('fs', 'ship.create')] }, 'fs', 'ship.create')).toBe('permit');
  });

  it('never opens a server to an entry that names another one', () => {
    const lists = { allow: ['a__*'] };
    for (const server of ['a.b', 'a__b', 'a_', 'A', 'a ']) {
      expect(policyOf(lists, ['a', server]).decide(governedByName('tool', server, 'x')).effect).toBe('deny');
    }
  });

  it('applies a deny to a server that is written with its configured name', () => {
    expect(effectOn({ allow: ['*'], deny: ['my docs__get'] }, 'my docs', 'get')).toBe('deny');
    expect(effectOn({ allow: ['*'], deny: ['my docs__get'] }, 'my docs', 'put')).toBe('permit');
  });

  it.each(['"', '\\', '\n', 'ä', '😀', '{', '"; permit(principal, action, resource); //'])(
    'treats %j in an entry as a character',
    (text) => {
      const { decide } = policyOf({ allow: [`resource:fs:x${text}y`] });
      expect(decide(governedByUri('fs', `x${text}y`)).effect).toBe('permit');
      expect(decide(governedByUri('fs', 'x-y')).effect).toBe('deny');
      expect(decide(governedByUri('fs', 'anything')).effect).toBe('deny');
    },
  );

  it('can be shown as Cedar', () => {
    expect(policyOf({ ask: ['fs__*'] }).text).toBe(
      [
        '@id("ask[0]")',
        '@approval("required")',
        'permit (principal == Agent::"reader", action == Action::"call", resource is Tool)',
        'when { resource.name like "fs__*" || resource.ownName like "fs__*" };',
      ].join('\n'),
    );
  });

  it.each([
    [{ allow: ['fs__read*'] }, 'fs__*', true],
    [{ allow: ['*'] }, 'fs__*', true],
    [{ ask: ['*__read'] }, 'fs__*', true],
    [{ allow: ['other__*'] }, 'fs__*', false],
    [{ allow: ['*'], deny: ['fs__*'] }, 'fs__*', false],
    [{ allow: ['*'], deny: ['fs__read'] }, 'fs__*', true],
    [{}, 'fs__*', false],
  ] satisfies [Lists, string, boolean][])('%j could reach something of %s: %s', (lists, glob, reachable) => {
    expect(policyOf(lists).couldReach('tool', glob)).toBe(reachable);
  });
});

describe('Cedar', () => {
  it('makes an evaluation error a denial although another policy permits', () => {
    const decide = createCedarPolicy('reader', {
      policies: {
        yes: 'permit (principal, action, resource);',
        broken: 'forbid (principal, action, resource) when { resource.missing == 1 };',
      },
      asks: new Set(),
    });
    const decision = decide(governedByName('tool', 'fs', 'read'));
    expect(decision.effect).toBe('deny');
    expect(decision.errors.join()).toContain('missing');
  });

  it('refuses a policy that it cannot parse, naming the agent', () => {
    expect(() => createCedarPolicy('reader', { policies: { a: 'permit everything' }, asks: new Set() })).toThrow(
      /agent "reader"/,
    );
  });
});

describe('the memo of verdicts', () => {
  it('asks once for the same thing and again for another kind of it', () => {
    const decide = vi.fn<(governed: { kind: string }) => string>(({ kind }) => kind);
    const memo = memoizeVerdicts(decide);
    expect(memo(governedByName('tool', 'fs', 'x'))).toBe('tool');
    expect(memo(governedByName('tool', 'fs', 'x'))).toBe('tool');
    expect(memo(governedByName('prompt', 'fs', 'x'))).toBe('prompt');
    expect(decide).toHaveBeenCalledTimes(2);
  });

  it('keeps the answer for an object that lives, however many names are asked about, and forgets that for its name', () => {
    const decide = vi.fn<(governed: { name: string }) => string>(({ name }) => name);
    const memo = memoizeVerdicts(decide);
    const listed = governedByName('tool', 'fs', 'listed');
    memo(listed);
    for (let at = 0; at < 20_000; at += 1)
      memo({ kind: 'tool', server: 'fs', name: `fs__${at}`, ownName: `fs__${at}` });
    decide.mockClear();
    expect(memo(listed)).toBe('fs__listed');
    expect(decide).not.toHaveBeenCalled();
    expect(memo(governedByName('tool', 'fs', 'listed'))).toBe('fs__listed');
    expect(decide).toHaveBeenCalledTimes(1);
  });

  it('keeps nothing by a long name, so that no caller fills the memory with names that it makes up', () => {
    const decide = vi.fn<(governed: { name: string }) => string>(({ name }) => name.slice(0, 5));
    const memo = memoizeVerdicts(decide);
    for (const uri of ['file:///a', `file:///${'a'.repeat(600)}`, `file:///${'é'.repeat(100)}`]) {
      memo(governedByUri('fs', uri));
      memo(governedByUri('fs', uri));
    }
    expect(decide).toHaveBeenCalledTimes(1 + 2 + 2);
  });
});

describe('patterns', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });

  it('match as the equivalent regular expression does', () => {
    fc.assert(
      fc.property(pattern, text, (glob, value) => {
        const expected = new RegExp(`^${glob.replaceAll('*', '[^]*')}$`).test(value);
        return globMatches(glob, value) === expected;
      }),
    );
  });

  it('overlap exactly when some text matches both', () => {
    const texts: string[] = [''];
    for (let at = 0; (texts[at]?.length ?? 9) < 8; at += 1) texts.push(`${texts[at]}a`, `${texts[at]}b`);
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 });
    fc.assert(
      fc.property(short, short, (first, second) => {
        const expected = texts.some((value) => globMatches(first, value) && globMatches(second, value));
        return globsOverlap(first, second) === expected;
      }),
    );
  });
});
