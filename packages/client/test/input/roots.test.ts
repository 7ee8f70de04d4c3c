import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InputHandlers, RootsAsk } from '../../src/index.ts';
import { createFileRoots } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { answersIn, asks, done, responsesOf, serveAsking, serveLegacy, warnings } from './asking-peer.ts';

async function list(roots: InputHandlers['roots'], more: InputHandlers = {}) {
  const served = await serveAsking((_message, round) => (round > 1 ? done : asks({ a: { method: 'roots/list' } })), {
    ...more,
    ...(roots === undefined ? {} : { roots }),
  });
  return { ...served, call: () => served.client.callTool('walk'), sent: () => responsesOf(served, 1) };
}

describe('roots', () => {
  it.each([
    'https://kiln.test/x',
    'file:relative',
    '/srv/a',
    'file://other-host/share',
    'file:///srv/../etc',
    'file:///srv/%2e%2e/etc',
    'file:///srv/./a',
    'file:///srv/a/..',
    'file:///srv/a%2f..%2fb',
    'file:///srv\\..\\etc',
    'file:///srv/a%00',
    'file:///srv/a?x',
    'file:///srv/a#x',
    '',
  ])('[ROOT-02] [ROOT-04] [roots-01] are not sent where one is %j', async (uri) => {
    const { call, requests } = await list([{ uri: 'file:///srv/good' }, { uri }]);
    expect(await failure(call())).toMatchObject({ code: 'invalid-argument', server: 'depot' });
    expect(requests()).toHaveLength(1);
  });

  it.each([
    ['file:///srv/a', 'file:///srv/a'],
    ['FILE:///srv/a', 'file:///srv/a'],
    ['file://localhost/srv/a', 'file:///srv/a'],
    ['file:///home/käte/a b', 'file:///home/k%C3%A4te/a%20b'],
    ['file:///srv/100%25', 'file:///srv/100%25'],
    ['file:///c:/temp', 'file:///c:/temp'],
    ['file:///srv/..a/...', 'file:///srv/..a/...'],
  ])('[roots-01] are sent in canonical form: %s', async (uri, canonical) => {
    const { call, sent } = await list([{ uri }]);
    await call();
    expect(sent()).toEqual({ a: { roots: [{ uri: canonical }] } });
  });

  it('[ROOT-07] may be answered by a function, which knows who asks and may decline', async () => {
    const seen: RootsAsk[] = [];
    const { call, sent } = await list((ask) => {
      seen.push(ask);
      return Promise.resolve([{ uri: 'file:///srv/a' }]);
    });
    await call();
    expect(seen).toMatchObject([{ kind: 'roots', server: 'depot', trust: 'untrusted', interrupts: { name: 'walk' } }]);
    expect(sent()).toEqual({ a: { roots: [{ uri: 'file:///srv/a' }] } });
    const declined = await list(() => Promise.resolve({ action: 'decline' }));
    expect((await failure(declined.call())).code).toBe('input-refused');
    expect(declined.requests()).toHaveLength(1);
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['file:///srv/a', 'a string'],
    [5, 'a number'],
    [{ uri: 'file:///srv/a' }, 'an object'],
    [new Set([{ uri: 'file:///srv/a' }]), 'an object'],
  ])('[ROOT-02] are not sent where a handler gives no array: %j', async (given, kind) => {
    const handlers: readonly [string, InputHandlers['roots']][] = [
      ['input.roots ', () => Promise.resolve(given as never)],
      ['input.roots ', (() => given) as never],
      ['input.roots.list ', { list: () => given as never }],
    ];
    for (const [name, roots] of handlers) {
      const { call, requests } = await list(roots);
      const error = await failure(call());
      expect(error.code).toBe('invalid-argument');
      expect(error.message).toContain(name);
      expect(error.message).toContain(`has ${kind} where an array of roots is expected`);
      expect(requests()).toHaveLength(1);
    }
  });

  it('are an error towards a legacy server where a handler gives none', async () => {
    const { peer } = await serveLegacy({ roots: () => Promise.resolve(undefined as never) });
    peer.send({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    await settle();
    expect(answersIn(peer)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(warnings).toMatchObject([
      { code: 'input-failed', message: expect.stringContaining('input.roots') as string },
    ]);
  });

  it('[ROOT-05] [ROOT-07] [ROOT-08] are reviewed before they are sent, and may be fewer then, or none', async () => {
    const { call, sent } = await list([{ uri: 'file:///srv/a' }, { uri: 'file:///srv/b' }], {
      review: (ask, answer) => {
        expect(ask.kind).toBe('roots');
        return Promise.resolve({ roots: 'roots' in answer ? answer.roots.slice(1) : [] });
      },
    });
    await call();
    expect(sent()).toEqual({ a: { roots: [{ uri: 'file:///srv/b' }] } });
    const kept = await list([{ uri: 'file:///srv/a' }], { review: () => Promise.resolve({ action: 'cancel' }) });
    expect((await failure(kept.call())).code).toBe('input-refused');
    const broken = await list([{ uri: 'file:///srv/a' }], { review: () => Promise.resolve(undefined as never) });
    expect((await failure(broken.call())).message).toMatch(/input\.review .* has undefined where an array of roots/);
  });
});

describe('folders as roots', () => {
  let base = '';

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'roots-')));
  });

  afterEach(async () => {
    await rm(base, { recursive: true, force: true });
  });

  it('[ROOT-03] [ROOT-06] [ROOT-09] are exposed while they are folders that can be read, each once, links followed', async () => {
    await mkdir(join(base, 'käte a#b'));
    await writeFile(join(base, 'file'), '');
    await symlink(join(base, 'käte a#b'), join(base, 'link'));
    const roots = createFileRoots([
      join(base, 'gone'),
      { path: join(base, 'käte a#b'), name: 'work' },
      join(base, 'file'),
      join(base, 'link'),
    ]);
    const [root, ...others] = await roots.list();
    expect(others).toEqual([]);
    expect(root?.uri).toBe(pathToFileURL(join(base, 'käte a#b')).href);
    expect(fileURLToPath(root?.uri ?? '')).toBe(join(base, 'käte a#b'));
    await mkdir(join(base, 'gone'));
    await rm(join(base, 'käte a#b'), { recursive: true });
    expect((await roots.list()).map(({ name }) => name)).toEqual(['gone']);
  });

  it('[ROOT-06] [ROOT-09] are watched: a change is told once, and nothing any more after the end', async () => {
    const clock = createManualClock();
    const roots = createFileRoots([join(base, 'a')], { clock, intervalMs: 1000 });
    let changes = 0;
    const stop = roots.watch(() => (changes += 1));
    await until(clock, 0);
    await mkdir(join(base, 'a'));
    await until(clock, 1000);
    await until(clock, 1000);
    expect(changes).toBe(1);
    stop();
    await rm(join(base, 'a'), { recursive: true });
    await until(clock, 5000);
    expect(changes).toBe(1);
  });

  /** Lets time pass, and what was asked of the disk come back: it answers in the order of asking. */
  async function until(clock: ReturnType<typeof createManualClock>, ms: number): Promise<void> {
    await clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await createFileRoots([join(base, 'a')]).list();
    await clock.advance(0);
  }

  it('are refused where a path is relative', () => {
    expect(() => createFileRoots(['a/b'])).toThrow(TypeError);
  });
});
