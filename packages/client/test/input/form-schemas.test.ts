import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { FormAsk, FormContent } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { answersIn, asks, done, form, responsesOf, serveAsking, serveLegacy, warnings } from './asking-peer.ts';

/** Has one form asked, which is answered with `content`, and answers what the handler saw and the server got. */
async function fill(request: JsonObject, content?: FormContent) {
  const seen: FormAsk[] = [];
  const served = await serveAsking((_message, round) => (round > 1 ? done : asks({ a: request })), {
    elicitForm(ask) {
      seen.push(ask);
      return Promise.resolve({ action: 'accept', ...(content === undefined ? {} : { content }) });
    },
  });
  return { ...served, seen, call: () => served.client.callTool('moor'), sent: () => responsesOf(served, 1) };
}

const unmeetable: readonly [string, JsonObject, JsonObject, RegExp][] = [
  [
    'a required field that it has not',
    { x: { type: 'string' } },
    { required: ['x', 'y'] },
    /"y".*required|required.*"y"/,
  ],
  ['more properties than fields', { x: { type: 'string' } }, { minProperties: 2 }, /minProperties \(2\)/],
  [
    'more required fields than properties',
    { x: { type: 'string' }, y: { type: 'string' } },
    { required: ['x', 'y'], maxProperties: 1 },
    /maxProperties \(1\)/,
  ],
  [
    'lengths that leave nothing',
    { x: { type: 'string', minLength: 5, maxLength: 2 } },
    {},
    /"x".*minLength.*maxLength/,
  ],
  ['an unknown type', { x: { type: 'text' } }, {}, /"x".*type.*"text"/],
  ['no type', { x: { title: 'X' } }, {}, /"x".*type/],
  ['an empty enum', { x: { type: 'string', enum: [] } }, {}, /"x".*enum/],
  ['an empty oneOf', { x: { type: 'string', oneOf: [] } }, {}, /x.*oneOf/],
  ['an enum of numbers for a text', { x: { type: 'string', enum: [1, 2] } }, {}, /"x".*enum/],
  ['an enum of texts for a number', { x: { type: 'integer', enum: ['a'] } }, {}, /"x".*enum/],
  ['a oneOf of numbers for a text', { x: { type: 'string', oneOf: [{ const: 1 }] } }, {}, /"x".*oneOf/],
  ['an enum beside its lengths', { x: { type: 'string', enum: ['a', 'b'], minLength: 2 } }, {}, /"x".*enum/],
  [
    'choices that exclude one another',
    { x: { type: 'string', oneOf: [{ const: 'a' }, { const: 'a', title: 'A' }] } },
    {},
    /"x".*oneOf/,
  ],
  ['a constant of another type', { x: { type: 'boolean', const: 'yes' } }, {}, /"x".*const/],
  ['bounds the wrong way round', { x: { type: 'number', minimum: 5, maximum: 4.5 } }, {}, /"x".*minimum.*maximum/],
  [
    'bounds that exclude their only number',
    { x: { type: 'number', minimum: 5, exclusiveMaximum: 5 } },
    {},
    /"x".*exclusiveMaximum \(5\)/,
  ],
  ['no integer between its bounds', { x: { type: 'integer', minimum: 1.2, maximum: 1.8 } }, {}, /"x".*integer/],
  [
    'no integer within its open bounds',
    { x: { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 } },
    {},
    /"x".*exclusiveMinimum/,
  ],
  ['choices without items', { x: { type: 'array' } }, {}, /"x".*items/],
  ['choices of numbers', { x: { type: 'array', items: { type: 'integer', enum: [1] } } }, {}, /"x".*items/],
  ['choices of nothing', { x: { type: 'array', items: { type: 'string', enum: [] } } }, {}, /"x".*items/],
  [
    'fewer choices than must be made',
    { x: { type: 'array', items: { enum: ['a', 'b', 'b'] }, minItems: 3 } },
    {},
    /"x".*minItems \(3\).*\(2\)/,
  ],
  [
    'numbers of choices the wrong way round',
    { x: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, maxItems: 1 } },
    {},
    /"x".*minItems.*maxItems/,
  ],
];

const demanding = (properties: JsonObject, more: JsonObject): JsonObject =>
  form(properties, { required: Object.keys(properties), ...more });

describe('a form that nobody can fill in', () => {
  it.each(unmeetable)('is refused before anybody is asked: %s', async (_name, properties, more, expected) => {
    const { call, seen, requests } = await fill(demanding(properties, more), {});
    const error = await failure(call());
    expect(error).toMatchObject({ code: 'invalid-response', server: 'depot' });
    expect(error.message).toMatch(expected);
    expect([seen, requests().length]).toEqual([[], 1]);
  });

  it.each(unmeetable)('is refused towards a legacy server: %s', async (_name, properties, more, expected) => {
    const { peer } = await serveLegacy({ elicitForm: () => Promise.reject(new Error('was asked')) });
    peer.send({ jsonrpc: '2.0', id: 1, ...demanding(properties, more) });
    await settle();
    expect(answersIn(peer)).toMatchObject([
      { id: 1, error: { code: -32602, message: expect.stringMatching(expected) as string } },
    ]);
    expect(warnings).toMatchObject([{ code: 'input-failed', message: expect.stringMatching(expected) as string }]);
  });

  it.each<[string, JsonObject, FormContent]>([
    ['equal lengths', { x: { type: 'string', minLength: 2, maxLength: 2 } }, { x: 'ab' }],
    ['a format of JSON Schema', { x: { type: 'string', format: 'time' } }, { x: '12:00:00Z' }],
    ['a format that nobody knows', { x: { type: 'string', format: 'postcode' } }, { x: '1010' }],
    [
      'a field that takes nothing and may be left out',
      { x: { type: 'string', enum: [] }, y: { type: 'string' } },
      { y: 'a' },
    ],
    ['a format of a number', { x: { type: 'integer', format: 'uint32' } }, { x: 3 }],
    ['equal bounds', { x: { type: 'integer', minimum: 2, maximum: 2 } }, { x: 2 }],
    ['one integer between its bounds', { x: { type: 'integer', exclusiveMinimum: 1, maximum: 2.5 } }, { x: 2 }],
    ['one choice that fits', { x: { type: 'string', enum: ['a', 'bcd'], minLength: 2 } }, { x: 'bcd' }],
    ['all choices demanded', { x: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 } }, { x: ['a', 'b'] }],
    ['no choice allowed', { x: { type: 'array', items: { enum: ['a'] }, maxItems: 0 } }, { x: [] }],
    ['an enum of numbers', { x: { type: 'integer', enum: [1, 2] } }, { x: 2 }],
    [
      'a reference to the whole',
      { x: { type: 'string', $ref: '#/allOf/0/properties/y' }, y: { type: 'string', enum: ['a'] } },
      { x: 'a' },
    ],
  ])('is not one with %s', async (_name, properties, content) => {
    const { call, sent } = await fill(form(properties, { allOf: [{ properties: { y: {} } }] }), content);
    await call();
    expect(sent()).toEqual({ a: { action: 'accept', content } });
  });
});

describe('a default that breaks the rules of its field', () => {
  it.each<[string, JsonObject]>([
    ['its format', { type: 'string', format: 'email', default: '' }],
    ['its minLength', { type: 'string', minLength: 3, default: 'a' }],
    ['its pattern', { type: 'string', pattern: '^a', default: 'b' }],
    ['its enum', { type: 'string', enum: ['a'], default: 'b' }],
    ['its oneOf', { type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'A' }],
    ['its minimum', { type: 'number', minimum: 1, default: 0 }],
    ['its type', { type: 'integer', default: 1.5 }],
    ['its type altogether', { type: 'boolean', default: 'true' }],
    ['its maxItems', { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1, default: ['a', 'b'] }],
    ['its choices', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: ['b'] }],
  ])('[ELI-11] is none, and the form is asked without it: %s', async (_name, x) => {
    const fields = { x, y: { type: 'string', default: 'kept' } };
    const { call, seen, sent } = await fill(form(fields, { required: ['y'], minProperties: 1 }));
    await call();
    expect(seen[0]?.fields.map((field) => field.default)).toEqual([undefined, 'kept']);
    expect(seen[0]?.prefill()).toEqual({ y: 'kept' });
    expect(seen[0]?.requestedSchema['properties']).toEqual(fields);
    expect(sent()).toEqual({ a: { action: 'accept', content: { y: 'kept' } } });
  });
});

/** A definition that takes some 10 steps for each character of a text, after some 3,000. */
const costly = {
  costly: {
    allOf: Array.from({ length: 10 }, (_, index) => ({ pattern: `^[a-z0-9]{1,${index + 30}}(?:x|y|[0-9])*$` })),
  },
};

describe('a form that takes long to check', () => {
  const values = Array.from({ length: 200 }, (_, index) => `a${index}`);
  const impossible = { type: 'string', enum: values, allOf: [{ $ref: '#/$defs/costly' }, false] };

  it('is asked, though only trying all values could tell that nothing fits', async () => {
    const { call, seen } = await fill(demanding({ x: impossible, y: impossible }, { $defs: costly }), {});
    expect((await failure(call())).code).toBe('invalid-argument');
    expect(seen).toHaveLength(1);
  });

  it('has no default that takes more than the share of its field', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `f${index}`,
        { type: 'string', default: '1'.repeat(index === 0 ? 2 : 2000), $ref: '#/$defs/costly' },
      ]),
    );
    const { call, seen } = await fill(form(fields, { $defs: costly }));
    await call();
    expect(seen[0]?.prefill()).toEqual({ f0: '11' });
  });

  it.each<[string, JsonObject]>([
    ['more than 800 subschemas', { allOf: Array.from({ length: 800 }, () => ({})) }],
    ['more than 800 ways through references', { $ref: '#/$defs/d10' }],
  ])('is refused with %s', async (_name, more) => {
    const $defs: Record<string, JsonObject> = { d0: {} };
    for (let index = 1; index <= 10; index += 1) {
      const $ref = `#/$defs/d${index - 1}`;
      $defs[`d${index}`] = { allOf: [{ $ref }, { $ref }] };
    }
    const { call, seen } = await fill(form({ x: { type: 'string' } }, { $defs, ...more }), {});
    expect((await failure(call())).code).toBe('invalid-response');
    expect(seen).toEqual([]);
  });
});

describe('a form as libraries write it', () => {
  const colors = { Color: { enum: ['red', 'blue'], title: 'Color', type: 'string' } };

  it.each<[string, JsonObject, JsonObject, object]>([
    [
      'a number or null',
      { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], default: null },
      {},
      { type: 'integer' },
    ],
    [
      'one of alternatives and null',
      { oneOf: [{ type: 'null' }, { type: 'boolean' }], default: true },
      {},
      { type: 'boolean', default: true },
    ],
    ['a list of types with null', { type: ['string', 'null'], default: null }, {}, { type: 'string' }],
    [
      'an enum with null',
      { type: ['string', 'null'], enum: [null, 'a'], enumNames: ['-', 'A'] },
      {},
      { type: 'choice', options: [{ value: 'a', title: 'A' }] },
    ],
    ['an enum without a type', { enum: ['a', 'b'] }, {}, { type: 'choice', options: [{ value: 'a' }, { value: 'b' }] }],
    ['an enum of numbers without a type', { enum: [1, 2] }, {}, { type: 'number' }],
    ['a reference', { $ref: '#/$defs/Color' }, { $defs: colors }, { type: 'choice', title: 'Color' }],
    [
      'a reference beside a title and a default',
      { $ref: '#/definitions/Color', title: 'Paint', default: 'red' },
      { definitions: colors },
      { type: 'choice', title: 'Paint', default: 'red' },
    ],
    ['a reference in an allOf', { allOf: [{ $ref: '#/$defs/Color' }] }, { $defs: colors }, { type: 'choice' }],
    [
      'a reference or null',
      { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }] },
      { $defs: colors },
      { type: 'choice' },
    ],
    [
      'a list of references',
      { type: 'array', items: { $ref: '#/$defs/Color' } },
      { $defs: colors },
      { type: 'choices' },
    ],
  ])('is shown as what it means: %s', async (_name, x, more, expected) => {
    const { call, seen, sent } = await fill(form({ x }, more), { x: null } as unknown as FormContent);
    await call();
    expect(seen[0]?.fields).toMatchObject([{ isRequired: false, default: undefined, ...expected }]);
    expect(sent()).toEqual({ a: { action: 'accept', content: {} } });
  });

  it.each<[string, JsonObject]>([
    ['leads in a circle', { $ref: '#/$defs/A' }],
    ['leads nowhere', { $ref: '#/$defs/C' }],
    ['leads out of the form', { $ref: 'https://a.example/color' }],
    ['leads to another field', { $ref: '#/properties/y' }],
  ])('is refused where a reference %s', async (_name, x) => {
    const $defs = { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } };
    const { call, seen } = await fill(form({ x, y: { type: 'string' } }, { $defs }), {});
    expect((await failure(call())).code).toBe('invalid-response');
    expect(seen).toEqual([]);
  });

  it('[ELI-29] takes no value that what it refers to forbids', async () => {
    const { call, requests } = await fill(form({ x: { $ref: '#/$defs/Color' } }, { $defs: colors }), { x: 'green' });
    expect(await failure(call())).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/x.*enum/) as string,
    });
    expect(requests()).toHaveLength(1);
  });
});

describe('titled choices', () => {
  const choices = (count: number, field: number) =>
    Array.from({ length: count }, (_, index) => ({
      const: `${field}.${index}`,
      title: `The choice ${index} of ${field}`.padEnd(40),
    }));

  it('may be 2,000 in each field and 10,000 in all', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [
        `f${index}`,
        index === 0
          ? { type: 'array', items: { anyOf: choices(2000, index) } }
          : { type: 'string', oneOf: choices(2000, index) },
      ]),
    );
    const content = { f0: ['0.0', '0.1999'], f1: '1.1999' };
    const { call, seen, sent } = await fill(form(fields), content);
    await call();
    expect(seen[0]?.fields.map(({ options }) => options?.length)).toEqual([2000, 2000, 2000, 2000, 2000]);
    expect(sent()).toEqual({ a: { action: 'accept', content } });
  });

  it.each<[string, JsonObject, FormContent]>([
    ['another value', { type: 'string', oneOf: choices(2, 1) }, { x: '1.2' }],
    ['another value in a list', { type: 'array', items: { anyOf: choices(2, 1) } }, { x: ['1.0', '1.2'] }],
    ['a choice that stands there twice', { type: 'string', oneOf: [...choices(2, 1), { const: '1.0' }] }, { x: '1.0' }],
    [
      'a choice with rules of its own',
      { type: 'string', oneOf: [{ const: 'a', minLength: 2 }, { const: 'b' }] },
      { x: 'a' },
    ],
  ])('[ELI-29] do not allow %s', async (_name, x, content) => {
    const { call, requests } = await fill(form({ x }), content);
    expect((await failure(call())).code).toBe('invalid-argument');
    expect(requests()).toHaveLength(1);
  });
});
