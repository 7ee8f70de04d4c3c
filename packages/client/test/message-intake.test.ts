import type { Notification, Request, Response } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { ClientError, ClientWarningCode } from '../src/index.ts';
import { createMessageIntake, type MessageIntake } from '../src/message/message-intake.ts';
import { createPeerContext } from '../src/peer/peer-context.ts';

interface Seen {
  readonly intake: MessageIntake;
  /** What became of the requests 1 and 2, which wait from the start. */
  readonly answers: Map<number, Response | ClientError>;
  /** Notifications of the requests, by their ids. */
  readonly ofRequest: [number, string][];
  readonly notifications: string[];
  readonly requests: string[];
  readonly warnings: ClientWarningCode[];
}

/** An intake in which the requests wait that are given. */
function createSeen(servesOneRequest: boolean, ids: readonly number[], acceptsBatches = false): Seen {
  const warnings: ClientWarningCode[] = [];
  const notifications: string[] = [];
  const requests: string[] = [];
  const answers = new Map<number, Response | ClientError>();
  const ofRequest: [number, string][] = [];
  const intake = createMessageIntake({
    context: createPeerContext({ server: 'depot', onWarning: ({ code }) => warnings.push(code) }),
    handlers: {
      onNotification: ({ method }: Notification) => notifications.push(method),
      onRequest: ({ method }: Request) => requests.push(method),
      acceptsBatches: () => acceptsBatches,
    },
    servesOneRequest,
  });
  for (const id of ids) {
    intake.expect(id, {
      settle: (answer) => answers.set(id, answer),
      onNotification: ({ method }) => ofRequest.push([id, method]),
    });
  }
  return { intake, answers, ofRequest, notifications, requests, warnings };
}

const response = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
const failure = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } });
const notify = (method: string, params: object = {}): string => JSON.stringify({ jsonrpc: '2.0', method, params });

describe.each([
  ['of one request', true, [1]],
  ['of all requests', false, [1, 2]],
] as const)('the intake %s', (_name, servesOneRequest, ids) => {
  const create = (acceptsBatches = false): Seen => createSeen(servesOneRequest, ids, acceptsBatches);

  it.each([response(1), failure(1)])('settles the request that a response names, once: %s', (text) => {
    const { intake, answers, warnings } = create();
    expect(intake.receive(text)).toBe(true);
    expect([...answers]).toEqual([[1, JSON.parse(text)]]);
    expect(intake.awaitedIds()).not.toContain(1);
    expect(warnings).toEqual([]);
    expect(intake.receive(text)).toBe(true);
    expect(warnings).toEqual(['unmatched-response']);
  });

  it.each([response(7), response('1'), failure(7)])('warns of a response that nobody waits for: %s', (text) => {
    const { intake, answers, warnings } = create();
    expect(intake.receive(text)).toBe(true);
    expect([...answers]).toEqual([]);
    expect(warnings).toEqual(['unmatched-response']);
  });

  it('says nothing of an answer to a request that was given up, the first time', () => {
    const { intake, answers, warnings } = create();
    intake.abandon(1);
    expect(intake.receive(response(1))).toBe(true);
    expect([[...answers], warnings]).toEqual([[], []]);
    intake.receive(response(1));
    expect(warnings).toEqual(['unmatched-response']);
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":1,"result":[]}',
    '{"jsonrpc":"2.0","id":1}',
    '{"id":1,"result":{}}',
  ])('fails the request alone whose answer breaks the protocol: %s', (text) => {
    const { intake, answers, warnings } = create();
    expect(intake.receive(text)).toBe(true);
    expect([...answers.keys()]).toEqual([1]);
    expect(answers.get(1)).toMatchObject({ code: 'invalid-response', server: 'depot' });
    expect(warnings).toEqual([]);
  });

  it.each(['{"jsonrpc":"2.0","id":7,"result":{},"error":{}}', '{"jsonrpc":"2.0","id":1,"method":5}', '{"id":"x"}'])(
    'warns of a broken message that is no answer: %s',
    (text) => {
      const { intake, answers, warnings } = create();
      expect(intake.receive(text)).toBe(true);
      expect([...answers]).toEqual([]);
      expect(warnings).toEqual(['invalid-message']);
    },
  );

  it.each(['ready', '42', 'null', '"ok"', '[]', '{"level":"info"}', ''])('calls %j no message', (text) => {
    const { intake, warnings } = create(true);
    expect(intake.receive(text)).toBe(false);
    expect(warnings).toEqual(['junk-output']);
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"mean":NaN}}}',
    '{"result":{"mean":Infinity},"jsonrpc":"2.0","id":1}',
    `{"id":1,"result":{"path":"C:\\depot"}}`,
  ])('settles the request whose answer is no valid JSON, at once: %s', (text) => {
    const { intake, answers, warnings } = create();
    expect(intake.receive(text)).toBe(true);
    expect(answers.get(1)).toMatchObject({ code: 'invalid-response' });
    expect(warnings).toEqual([]);
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}',
    '{"jsonrpc":"2.0","id":7,"result":{"x":NaN}}',
    '{"jsonrpc":"2.0","id":1,"result":{"te',
    'level=info {"id":1,"result":{}}',
  ])('settles nothing for what is no valid JSON and no whole answer: %s', (text) => {
    const { intake, answers, warnings } = create();
    expect(intake.receive(text)).toBe(false);
    expect([[...answers], warnings]).toEqual([[], ['junk-output']]);
  });

  it('reads an answer with a number of ten million digits', () => {
    const { intake, answers } = create();
    expect(intake.receive(`{"jsonrpc":"2.0","id":1,"result":{"x":${'9'.repeat(10_000_000)}}}`)).toBe(true);
    expect(answers.get(1)).toMatchObject({ result: { x: Infinity } });
  });

  it('hands the requests of the peer to their handler', () => {
    const { intake, requests, warnings } = create();
    expect(intake.receive('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe(true);
    expect([requests, warnings]).toEqual([['ping'], []]);
  });

  it('[PROG-09] hands progress to the request that it names and to no other', () => {
    const { intake, ofRequest, notifications } = create();
    for (const progressToken of [1, '1', 7, undefined])
      intake.receive(notify('notifications/progress', { progressToken }));
    expect([ofRequest, notifications]).toEqual([[[1, 'notifications/progress']], []]);
  });

  it('hands log messages to all that wait, and to the handler once nobody does', () => {
    const { intake, ofRequest, notifications } = create();
    intake.receive(notify('notifications/message'));
    expect(ofRequest.map(([id]) => id)).toEqual(ids);
    for (const id of ids) intake.receive(response(id));
    intake.receive(notify('notifications/message'));
    expect([ofRequest.length, notifications]).toEqual([ids.length, ['notifications/message']]);
  });

  it('hands every other notification to the handler, and to the request whose own stream it came on', () => {
    const { intake, ofRequest, notifications } = create();
    intake.receive(notify('notifications/tools/list_changed'));
    const method = 'notifications/tools/list_changed';
    expect([ofRequest, notifications]).toEqual([servesOneRequest ? [[1, method]] : [], [method]]);
  });

  it('takes the messages of a batch one by one where the peer may send one, and none elsewhere', () => {
    const batch = `[${notify('notifications/x')},${response(1)},7]`;
    const may = create(true);
    expect(may.intake.receive(batch)).toBe(true);
    expect([may.notifications, [...may.answers.keys()], may.warnings]).toEqual([
      ['notifications/x'],
      [1],
      ['junk-output'],
    ]);
    const mayNot = create();
    expect(mayNot.intake.receive(batch)).toBe(false);
    expect([mayNot.notifications, [...mayNot.answers], mayNot.warnings]).toEqual([[], [], ['junk-output']]);
  });

  it('finds an answer without acting on anything', () => {
    const { intake, answers, warnings } = create();
    expect(intake.findAnswer(failure(1))).toMatchObject({ id: 1 });
    for (const text of ['<h1>', response(7), notify('x'), '{"id":1}']) expect(intake.findAnswer(text)).toBeUndefined();
    expect([[...answers], warnings]).toEqual([[], []]);
  });
});

describe('an error without an id', () => {
  const texts = [failure(null), failure(undefined)];

  it.each(texts)('[LEGB-06] [jsonrpc-11] answers the one request of an exchange: %s', (text) => {
    const { intake, answers, warnings } = createSeen(true, [1]);
    intake.receive(text);
    expect([[...answers.keys()], warnings]).toEqual([[1], []]);
    intake.receive(text);
    expect(warnings).toEqual(['peer-error']);
  });

  it.each(texts)('[LEGB-06] [jsonrpc-11] is a warning where several requests share a stream: %s', (text) => {
    const { intake, answers, warnings } = createSeen(false, [1]);
    intake.receive(text);
    expect([[...answers], warnings]).toEqual([[], ['peer-error']]);
  });
});

it('remembers 1,024 requests that were given up, the last ones', () => {
  const ids = Array.from({ length: 1025 }, (_unused, index) => index);
  const { intake, warnings } = createSeen(false, ids);
  for (const id of ids) intake.abandon(id);
  for (const id of ids.toReversed()) intake.receive(response(id));
  expect(warnings).toEqual(['unmatched-response']);
});
