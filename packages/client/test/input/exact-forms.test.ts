import { type JsonObject, parseJson, stringifyJson } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { ConnectOptions, FormAsk, FormContent } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { asks, done, form, serveAsking, serveLegacy } from './asking-peer.ts';

const exact = { exactIntegers: true };
const big = 2n ** 53n + 1n;

/** Has a form with the field `x` asked, which is answered with `content`; `sent` is the content that the server got. */
async function fill(field: JsonObject, content?: FormContent, options: ConnectOptions = exact, more: JsonObject = {}) {
  const seen: FormAsk[] = [];
  const served = await serveAsking(
    (_message, round) => (round > 1 ? done : asks({ a: form({ x: field }, more) })),
    {
      elicitForm(ask) {
        seen.push(ask);
        return Promise.resolve({ action: 'accept', ...(content === undefined ? {} : { content }) });
      },
    },
    options,
  );
  const sent = () => parseJson(served.peer.texts.at(-1) ?? '', exact);
  return { ...served, seen, call: () => served.client.callTool('moor'), sent };
}

const accepted = (x: unknown): object => ({
  params: { inputResponses: { a: { action: 'accept', content: { x } } } },
});

describe('an integer of a form that a double cannot hold', () => {
  it('[ELI-11] is the default that the server gives, to the digit, and is sent like that', async () => {
    const field = { type: 'integer', minimum: big, maximum: big, default: big };
    const { call, seen, sent } = await fill(field);
    await call();
    expect(seen[0]?.fields[0]?.default).toBe(big);
    expect(seen[0]?.prefill()).toEqual({ x: big });
    expect(seen[0]?.requestedSchema['properties']).toEqual({ x: field });
    expect(sent()).toMatchObject(accepted(big));
  });

  it.each([
    ['above its maximum', { type: 'integer', maximum: big, default: big + 1n }],
    ['below its minimum', { type: 'integer', minimum: big, default: big - 1n }],
    ['at the end of what it excludes', { type: 'number', exclusiveMaximum: big, default: big }],
  ])('[ELI-11] is no default where it is %s', async (_name, field) => {
    const { call, seen } = await fill(field);
    await call();
    expect(seen[0]?.prefill()).toEqual({});
  });

  it.each([
    ['above its maximum', { type: 'integer', maximum: big }, big + 2n, /"x".*maximum \(9007199254740993\)/],
    ['one above its maximum', { type: 'integer', maximum: big - 1n }, big, /"x".*maximum \(9007199254740992\)/],
    ['one below its minimum', { type: 'integer', minimum: big + 1n }, big, /"x".*minimum \(9007199254740994\)/],
    ['no text', { type: 'string' }, big, /x.*string/],
  ])('[ELI-29] is not sent where it is %s', async (_name, field, value, expected) => {
    const { call, requests } = await fill(field, { x: value });
    const error = await failure(call());
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(expected) as string });
    expect(requests()).toHaveLength(1);
  });

  it('is compared where bounds leave nothing between them', async () => {
    const { call, seen } = await fill({ type: 'integer', minimum: big, maximum: big - 1n }, {}, exact, {
      required: ['x'],
    });
    expect((await failure(call())).message).toMatch(/minimum \(9007199254740993\).*maximum \(9007199254740992\)/);
    expect(seen).toEqual([]);
  });

  it('may be given by the user without that option, and is sent to a legacy server, too', async () => {
    const { call, sent } = await fill({ type: 'integer' }, { x: big }, {});
    await call();
    expect(sent()).toMatchObject(accepted(big));
    const { peer } = await serveLegacy({
      elicitForm: () => Promise.resolve({ action: 'accept', content: { x: big } }),
    });
    peer.sendText(stringifyJson({ jsonrpc: '2.0', id: 1, ...form({ x: { type: 'integer' } }) }));
    await settle();
    expect(parseJson(peer.texts.at(-1) ?? '', exact)).toMatchObject({ id: 1, result: { content: { x: big } } });
  });

  it('is a number in all of a form that was read without exactIntegers', async () => {
    const field = { type: 'integer', maximum: 1e20, default: 2 ** 53 };
    const { call, seen } = await fill(field, undefined, {});
    await call();
    expect(seen[0]?.prefill()).toEqual({ x: 2 ** 53 });
    expect(seen[0]?.requestedSchema['properties']).toEqual({ x: field });
  });
});
