import { expect, it } from 'vitest';

import { reports } from '../src/reports.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

interface Result {
  readonly resultType: string;
  readonly taskId?: string;
  readonly status?: string;
  readonly requestState?: string;
  readonly inputRequests?: object;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
}

async function send(method: string, params: object): Promise<Result> {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  const text = await reports.respond(message, { signal: new AbortController().signal, send: () => undefined });
  return (JSON.parse(text ?? '') as { result: Result }).result;
}

it('asks in the call, goes on as a task, and asks again in the task', async () => {
  const call = { name: 'write_report', arguments: { quarter: 'Q3' } };
  const round = await send('tools/call', call);
  expect(round.resultType).toBe('input_required');
  const { taskId, resultType } = await send('tools/call', {
    ...call,
    requestState: round.requestState,
    inputResponses: { wanted: { action: 'accept', content: { go: true } } },
  });
  expect(resultType).toBe('task');
  await expect.poll(async () => (await send('tasks/get', { taskId })).status).toBe('input_required');
  await send('tasks/update', { taskId, inputResponses: { title: { action: 'accept', content: { title: 'Autumn' } } } });
  await expect.poll(async () => (await send('tasks/get', { taskId })).status).toBe('completed');
  const { result } = await send('tasks/get', { taskId });
  expect(result?.content[0]?.text).toBe('Autumn\nChapter 1 of Q3\nChapter 2 of Q3\nChapter 3 of Q3');
});
