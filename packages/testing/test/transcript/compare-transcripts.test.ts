import { describe, expect, it } from 'vitest';

import { compareTranscripts, explainDifferences } from '../../src/index.ts';
import { exchangeOf, transcriptOf } from './transcript-of.ts';

describe('a comparison', () => {
  const tools = (...names: readonly string[]) => ({ tools: names.map((name) => ({ name, title: `The ${name}` })) });
  const compare = (before: object, after: object) =>
    compareTranscripts(transcriptOf(exchangeOf('list', {}, before)), transcriptOf(exchangeOf('list', {}, after)));

  it('finds nothing where nothing is different, whatever the order of members', () => {
    expect(compare({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toEqual([]);
  });

  it('names each member that came, went or changed by its path', () => {
    expect(compare({ a: 1, gone: 'x', list: [1, 2] }, { a: 2, list: [1], come: null })).toEqual([
      { label: 'list', path: 'response.result.a', kind: 'changed', before: 1, after: 2 },
      { label: 'list', path: 'response.result.gone', kind: 'removed', before: 'x' },
      { label: 'list', path: 'response.result.list[1]', kind: 'removed', before: 2 },
      { label: 'list', path: 'response.result.come', kind: 'added', after: null },
    ]);
  });

  it('compares entries by name, so that a new one shifts none, and their order for itself', () => {
    expect(compare(tools('a', 'c.d'), tools('a', 'b', 'c.d'))).toEqual([
      { label: 'list', path: 'response.result.tools[b]', kind: 'added', after: { name: 'b', title: 'The b' } },
    ]);
    expect(compare(tools('a', 'b'), tools('b', 'a'))).toEqual([
      { label: 'list', path: 'response.result.tools.order', kind: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
    ]);
  });

  it('matches exchanges by what they were for, and tells of those without a counterpart', () => {
    const before = transcriptOf(exchangeOf('a', {}, {}), exchangeOf('b', {}, { n: 1 }), exchangeOf('b', {}, { n: 2 }));
    const after = transcriptOf(exchangeOf('new', {}, {}), exchangeOf('b', {}, { n: 1 }), exchangeOf('b', {}, { n: 3 }));
    expect(compareTranscripts(before, after).map(({ label, path, kind }) => [label, path, kind])).toEqual([
      ['a', 'exchange', 'removed'],
      ['b (2)', 'response.result.n', 'changed'],
      ['new', 'exchange', 'added'],
    ]);
  });

  it('tells apart exchanges whose words end like a number from those that are numbered', () => {
    const of = (n: number) =>
      transcriptOf(exchangeOf('a', {}, {}), exchangeOf('a', {}, { n }), exchangeOf('a (2)', {}, { m: n }));
    expect(compareTranscripts(of(1), of(2)).map(({ path }) => path)).toEqual([
      'response.result.n',
      'response.result.m',
    ]);
  });

  it('leaves no difference out, however many there are', () => {
    const list = (last: number) => ({
      v: [...Array.from({ length: 12_000 }, (_, index) => index * last), 'end', last],
    });
    const explained = explainDifferences(compare(list(1), list(2)), [{ path: 'response.result.v[*1*]', because: 'x' }]);
    expect(explained.explained.length + explained.unexplained.length).toBe(12_000);
    expect(explained.unexplained.length).toBeGreaterThan(0);
  });

  it('takes placeholders for equal that stand for each other throughout, and for nothing else', () => {
    const rounds = (...states: readonly string[]) =>
      transcriptOf(...states.map((requestState, index) => exchangeOf(`round ${index}`, {}, { requestState })));
    const same = compareTranscripts(rounds('x', 'a', 'b', 'a'), rounds('x', 'p', 'q', 'p'));
    expect(same).toEqual([]);
    const repeated = compareTranscripts(rounds('a', 'b'), rounds('a', 'a'));
    expect(repeated).toMatchObject([{ label: 'round 1', path: 'response.result.requestState' }]);
  });

  it.each([
    ['states', (value: string) => ({ requestState: value })],
    ['cursors', (value: string) => ({ nextCursor: value })],
    ['tasks', (value: string) => ({ taskId: value })],
    ['UUIDs', (value: string) => ({ handle: `0f0e0d0c-0b0a-4908-8706-05040302010${value}` })],
    ['binary data', (value: string) => ({ data: value.repeat(300) })],
  ])('is not shifted by another one: placeholders of %s', (_what, resultOf) => {
    const rounds = ['a', 'b'].map((value, index) => exchangeOf(`round ${index}`, {}, resultOf(value)));
    const shifted = transcriptOf(exchangeOf('extra', {}, resultOf('c')), ...rounds);
    expect(compareTranscripts(transcriptOf(...rounds), shifted).map(({ label }) => label)).toEqual(['extra']);
  });

  it.each([
    ['order 0f0e0d0c-0b0a-4908-8706-050403020100', 'order <uuid>'],
    ['<uuid> 0f0e0d0c-0b0a-4908-8706-050403020100', '0f0e0d0c-0b0a-4908-8706-050403020100 <uuid>'],
  ])('tells a value from the word for its kind: %s', (before, after) => {
    expect(compare({ text: before }, { text: after })).toHaveLength(1);
    expect(compare({ text: after }, { text: before })).toHaveLength(1);
  });

  it('tells a response under the id of its request from one under none', () => {
    const good = exchangeOf('x', {}, {});
    const without = { ...good, received: good.received.map(({ id: _id, ...message }) => message) };
    const differences = compareTranscripts(transcriptOf(good), transcriptOf(without));
    expect(differences).toEqual([{ label: 'x', path: 'response.id', kind: 'removed', before: '<number>' }]);
    expect(compareTranscripts(transcriptOf(without), transcriptOf(good))).toHaveLength(1);
  });

  it('sees the status, the media type and what came before the response', () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
    const plain = exchangeOf('x', {}, {}, { status: 200, headers: { 'content-type': 'application/json' } });
    const streamed = exchangeOf('x', {}, {}, { status: 206, headers: { 'content-type': 'text/event-stream' } });
    const after = transcriptOf({ ...streamed, received: [notification, ...streamed.received] });
    expect(compareTranscripts(transcriptOf(plain), after).map(({ path }) => path)).toEqual([
      'status',
      'contentType',
      'before',
    ]);
  });
});
