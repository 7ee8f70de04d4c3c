import { describe, expect, it } from 'vitest';
import type { FormAsk, InputHandlers } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { asks, done, form, page, responsesOf, serveAsking, warnings } from './asking-peer.ts';

const accept = (content?: object) =>
  Promise.resolve({ action: 'accept', ...(content === undefined ? {} : { content }) } as never);

/** Has one form asked and answers what the handler saw and the server got. */
async function fill(request: object, elicitForm: NonNullable<InputHandlers['elicitForm']>, more: InputHandlers = {}) {
  const seen: FormAsk[] = [];
  const served = await serveAsking((_message, round) => (round > 1 ? done : asks({ a: request })), {
    ...more,
    elicitForm(ask) {
      seen.push(ask);
      return elicitForm(ask);
    },
  });
  return { ...served, seen, call: () => served.client.callTool('moor'), sent: () => responsesOf(served, 1) };
}

const many = { type: 'string', enum: Array.from({ length: 1500 }, (_, index) => `${index}`) };
const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive'], default: 'active' },
  verified: { type: 'boolean', default: true },
  tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, default: ['a', 'b'] },
  note: { type: 'string' },
};

describe('what a client declares', () => {
  const handler = () => accept();
  it.each<[string, InputHandlers, object]>([
    ['nothing without a handler', {}, {}],
    ['forms', { elicitForm: handler }, { elicitation: { form: {} } }],
    ['pages', { elicitUrl: handler }, { elicitation: { url: {} } }],
    ['both', { elicitForm: handler, elicitUrl: handler }, { elicitation: { form: {}, url: {} } }],
    ['models and roots', { sample: handler, roots: [] }, { sampling: {}, roots: {} }],
  ])('[ELI-01] [ELI-02] [SAM-01] [ROOT-01] [version-06] is %s', async (_name, input, capabilities) => {
    const { client, requests } = await serveAsking(() => done, input);
    await client.callTool('x');
    expect(requests()[0]?.params?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    });
    const meta = requests()[0]?.params?.['_meta'] as { readonly [key: string]: object };
    expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual(capabilities);
  });

  it('[ELI-01] may be more than that, and forms stay declared that `{}` stands for', async () => {
    const { client, requests } = await serveAsking(
      () => done,
      { elicitUrl: handler, sample: handler },
      { capabilities: { elicitation: {}, sampling: { tools: {} }, extensions: { 'com.example/x': {} } } },
    );
    await client.callTool('x');
    const meta = requests()[0]?.params?.['_meta'] as { readonly [key: string]: object };
    expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { tools: {} },
      extensions: { 'com.example/x': {} },
    });
  });
});

describe('a form', () => {
  it('[ELI-05] [ELI-14] [ELI-28] comes with who asks, why, and its fields, cleaned', async () => {
    const request = form(
      {
        berth: { type: 'integer', title: 'Be\u202erth\u0007', description: 'Which\u200b one?' },
        tide: { type: 'string', enum: ['low', 'high'], enumNames: ['Low', 'High'] },
      },
      { required: ['berth'] },
    );
    const { call, seen } = await fill(
      { ...request, params: { ...(request['params'] as object), message: 'Line\r\n\u001b[2JTwo\u202e' } },
      () => accept({ berth: 1 }),
    );
    await call();
    expect(seen).toMatchObject([
      {
        kind: 'form',
        server: 'depot',
        trust: 'untrusted',
        message: 'Line\n [2JTwo',
        sensitive: [],
        fields: [
          {
            name: 'berth',
            type: 'integer',
            title: 'Be rth'.replace(' ', ''),
            description: 'Which one?',
            isRequired: true,
          },
          {
            name: 'tide',
            type: 'choice',
            options: [
              { value: 'low', title: 'Low' },
              { value: 'high', title: 'High' },
            ],
          },
        ],
      },
    ]);
  });

  it('[ELI-11] is prefilled with its defaults, each kind of them, and a value of the user replaces one', async () => {
    const { call, seen, sent } = await fill(form(defaults), (ask) => accept(ask.prefill({ age: 31 })));
    await call();
    const { note: _, ...declared } = defaults;
    const values = Object.fromEntries(Object.entries(declared).map(([name, field]) => [name, field.default]));
    expect(seen[0]?.prefill()).toEqual(values);
    expect(sent()).toEqual({ a: { action: 'accept', content: { ...values, age: 31 } } });
  });

  it('[ELI-11] [ELI-16] that is accepted without content is accepted as it was prefilled, and a default that was removed stays away', async () => {
    const prefilled = await fill(form(defaults), () => accept());
    await prefilled.call();
    expect(prefilled.sent()).toMatchObject({ a: { content: { name: 'John Doe', tags: ['a', 'b'] } } });
    const removed = await fill(form(defaults), (ask) => accept({ ...ask.prefill(), name: undefined, tags: ['b'] }));
    await removed.call();
    const { content } = (removed.sent() as { readonly a: { readonly content: object } }).a;
    expect(content).not.toHaveProperty('name');
    expect(content).toMatchObject({ tags: ['b'], age: 30 });
  });

  it.each(['decline', 'cancel'] as const)(
    '[ELI-10] [ELI-15] [ELI-27] may be answered with %s, and no content goes with that',
    async (action) => {
      const { call, sent } = await fill(form({ x: { type: 'string' } }, { required: ['x'] }), () =>
        Promise.resolve({ action, content: { x: 5 } } as never),
      );
      await call();
      expect(sent()).toEqual({ a: { action } });
    },
  );

  it.each<[string, object]>([
    ['of another type', { berth: 'three' }],
    ['under its minimum', { berth: 0 }],
    ['that is missing', { tide: 'low' }],
    ['that is no option', { berth: 1, tide: 'spring' }],
    ['that is no date', { berth: 1, day: 'tomorrow' }],
    ['that the form has not', { berth: 1, other: 'x' }],
    ['that is an object', { berth: { deep: 1 } }],
  ])('[ELI-10] [ELI-29] is not sent with a value %s: the caller learns which', async (_name, content) => {
    const fields = {
      berth: { type: 'integer', minimum: 1 },
      tide: { type: 'string', enum: ['low', 'high'] },
      day: { type: 'string', format: 'date' },
    };
    const { call, requests } = await fill(form(fields, { required: ['berth'] }), () => accept(content));
    const error = await failure(call());
    expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot' });
    expect(error.message).toMatch(/berth|tide|day|other/);
    expect(requests()).toHaveLength(1);
  });

  it.each([undefined, null, 'accept', {}, { action: 'yes' }, { action: 'accept', content: [] }])(
    'is not sent with %j as its answer',
    async (answer) => {
      const { call, requests } = await fill(form({ x: { type: 'string' } }), () => Promise.resolve(answer as never));
      expect((await failure(call())).code).toBe('invalid-argument');
      expect(requests()).toHaveLength(1);
    },
  );

  it('[ELI-16] [ELI-26] can be reviewed and changed before it is sent, or declined', async () => {
    const shown: object[] = [];
    const changed = await fill(form({ x: { type: 'string' } }), () => accept({ x: 'a' }), {
      review(ask, answer) {
        shown.push([ask.kind, answer]);
        return accept({ x: 'b' });
      },
    });
    await changed.call();
    expect(shown).toEqual([['form', { action: 'accept', content: { x: 'a' } }]]);
    expect(changed.sent()).toEqual({ a: { action: 'accept', content: { x: 'b' } } });
    const declined = await fill(form({ x: { type: 'string' } }), () => accept({ x: 'a' }), {
      review: () => Promise.resolve({ action: 'decline' }),
    });
    await declined.call();
    expect(declined.sent()).toEqual({ a: { action: 'decline' } });
    const broken = await fill(form({ x: { type: 'string' } }), () => accept({ x: 'a' }), {
      review: () => accept({ x: 5 }),
    });
    expect(await failure(broken.call())).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('input.review'),
    });
  });

  it.each<[string, object]>([
    ['nested', { a: { type: 'object', properties: {} } }],
    ['of any type', { a: {} }],
    ['an array of texts', { a: { type: 'array', items: { type: 'string' } } }],
    ['no schema', { a: 5 }],
    [
      'one with 10,001 options in all',
      Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}`, many])),
    ],
    ['of two types', { a: { type: ['string', 'integer', 'null'] } }],
    ['one of 201', Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, { type: 'string' }]))],
  ])('with a field that is %s is refused', async (_name, properties) => {
    const { call, seen } = await fill(form(properties as never), () => accept({}));
    expect(await failure(call())).toMatchObject({ code: 'invalid-response', server: 'depot' });
    expect(seen).toEqual([]);
  });

  it('[schema-08] is not held up by a pattern of nested quantifiers', async () => {
    const fields = { k: { type: 'string', pattern: '^(\\w+\\s?)*$' } };
    const { call } = await fill(form(fields), () => accept({ k: `${'a'.repeat(40)}!` }));
    const startedAt = performance.now();
    expect((await failure(call())).code).toBe('invalid-argument');
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it('keeps a field with the name of a prototype', async () => {
    const { call, sent } = await fill(form(JSON.parse('{"__proto__":{"type":"string"}}') as never), () =>
      accept(JSON.parse('{"__proto__":"x"}') as object),
    );
    await call();
    expect(JSON.stringify(sent())).toBe('{"a":{"action":"accept","content":{"__proto__":"x"}}}');
  });
});

describe('a form that asks for a secret', () => {
  const text = { type: 'string' };
  const secrets: readonly [string, string, object][] = [
    ['password', '', text],
    ['userPassword', '', text],
    ['x', '', { ...text, title: 'Pass\u200bword' }],
    ['x', '', { ...text, title: 'Ｐａｓｓｗｏｒｄ' }],
    ['x', '', { ...text, description: 'Your GitHub personal access token' }],
    ['x', '', { ...text, format: 'password' }],
    ['x', 'Please paste your API key', text],
    ['api_key', '', text],
    ['ssh-private-key', '', text],
    ['githubToken', '', text],
    ['client_secret', '', text],
    ['cardNumber', '', text],
    ['card_number', '', { type: 'integer' }],
    ['cvv', '', { type: 'integer' }],
    ['IBAN', '', text],
    ['ssn', '', text],
    ['otp', '', text],
    ['pin', '', { type: 'number' }],
    ['Passwort', '', text],
    ['x', 'Bitte geben Sie Ihr Kennwort ein', text],
  ];
  it.each(secrets)('[ELI-07] is declined and never shown, with a warning: %s, %j, %j', async (name, message, field) => {
    const request = form({ ship: { type: 'string' }, [name]: field });
    const { call, seen, sent } = await fill({ ...request, params: { ...(request['params'] as object), message } }, () =>
      accept({}),
    );
    await call();
    expect([seen, sent()]).toEqual([[], { a: { action: 'decline' } }]);
    expect(warnings).toMatchObject([{ code: 'input-declined', server: 'depot' }]);
    expect(warnings[0]?.message).toContain('allowsSensitiveForms');
  });

  it.each<[string, string, object, object]>([
    ['padding that is not shown', `${'\u200b'.repeat(2500)}Enter your password`, { x: text }, {}],
    ['padding that is shown', `${' '.repeat(2500)}Enter your password`, { x: text }, {}],
    ['a long message', `${'Welcome. '.repeat(300)}Enter your password`, { x: text }, {}],
    ['a cut that ends the word', '', { x: { ...text, title: `${'a '.repeat(96)}passwordless` } }, {}],
    ['padding in a description', '', { x: { ...text, description: `${'\u200b'.repeat(2500)}Your password` } }, {}],
    ['a list that is open', '', { password: { ...text, oneOf: [{}] } }, {}],
    ['a list of patterns', '', { password: { ...text, oneOf: [{ const: 'a' }, { pattern: '..' }] } }, {}],
    ['a mark between letters', '', { x: { ...text, title: 'Pass\u034fword' } }, {}],
    ['marks under letters', '', { x: { ...text, title: [...'Password'].join('\u0332') } }, {}],
    ['letters of another script', '', { x: { ...text, title: 'P\u0430sswo\u0433d' } }, {}],
    ['digits for letters', '', { x: { ...text, title: 'Pa55w0rd' } }, {}],
    ['spaced letters', '', { x: { ...text, title: 'P a s s w o r d' } }, {}],
    ['the title of a choice', '', { a: { ...text, enum: ['x'], enumNames: ['Write your password'] }, x: text }, {}],
    ['the title of another field', '', { a: { type: 'boolean', title: 'Write your password below' }, x: text }, {}],
    ['the title of the form', '', { x: text }, { title: 'Enter your password' }],
    ['a PIN in the message', 'Please enter your PIN', { x: text }, {}],
    ['a PIN before more', 'Enter the PIN to go on', { x: { type: 'integer' } }, {}],
    ['the code of a PIN', '', { pinCode: text }, {}],
    ['a number for a CVV', 'Please enter your CVV', { x: { type: 'integer' } }, {}],
    ['a default', '', { x: { ...text, default: 'replace this with your password' } }, {}],
    ['the value of a choice', '', { a: { ...text, oneOf: [{ const: 'your password', title: 'A' }] }, x: text }, {}],
    ['a letter that is not shown', '', { x: { ...text, title: 'pass\u3164word' } }, {}],
    ['a definition that names it', '', { x: { $ref: '#/$defs/y' } }, { $defs: { y: { ...text, title: 'Password' } } }],
    ['a password that may be null', '', { x: { title: 'Password', anyOf: [text, { type: 'null' }] } }, {}],
    ['the digits of a card', '', { x: { ...text, description: 'the 16 digits on the front of your card' } }, {}],
  ])('[ELI-07] is declined with %s, too', async (_name, message, properties, more) => {
    const request = form(properties as never, more as never);
    const { call, seen, sent } = await fill({ ...request, params: { ...(request['params'] as object), message } }, () =>
      accept({}),
    );
    await call();
    expect([seen, sent()]).toEqual([[], { a: { action: 'decline' } }]);
  });

  it.each<[string, string, object]>([
    ['note', 'Pin this to the board?', text],
    ['place', 'Where is the pin on the map?', text],
    ['findings', 'Enter your key findings', text],
    ['name', 'What is your name?', text],
    ['max_tokens', '', { type: 'integer' }],
    ['keyboard', '', text],
    ['monkey', '', text],
    ['pinned', '', { type: 'boolean' }],
    ['passenger', '', text],
    ['keepPassword', '', { type: 'boolean' }],
    ['reset', 'How shall your password be reset?', { type: 'string', enum: ['mail', 'phone'] }],
    ['tokenizer', '', text],
    ['secretary', '', text],
    ['cardinality', '', { type: 'integer' }],
  ])('is not %s with %j, %j', async (name, message, field) => {
    const request = form({ [name]: field });
    const { call, seen } = await fill({ ...request, params: { ...(request['params'] as object), message } }, () =>
      accept({}),
    );
    await call();
    expect(seen).toMatchObject([{ sensitive: [] }]);
    expect(warnings).toEqual([]);
  });

  it('is shown where the caller allows it, with the fields that look so', async () => {
    const { call, seen } = await fill(form({ ship: text, password: text }), () => accept({ password: 'x' }), {
      allowsSensitiveForms: true,
    });
    await call();
    expect(seen).toMatchObject([{ sensitive: ['password'] }]);
  });

  it('and a page in the same round: each is answered by itself', async () => {
    const served = await serveAsking(
      (_message, round) => (round > 1 ? done : asks({ a: form({ password: text }), b: page('https://a.example/x') })),
      { elicitForm: () => accept({}), elicitUrl: () => Promise.resolve({ action: 'accept' }) },
    );
    await served.client.callTool('moor');
    expect(responsesOf(served, 1)).toEqual({ a: { action: 'decline' }, b: { action: 'accept' } });
  });
});
