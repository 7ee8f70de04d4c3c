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
