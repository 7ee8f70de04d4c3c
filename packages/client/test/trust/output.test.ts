import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { failure } from '../expect-failure.ts';
import { reach, structured, tool, warnings } from './tool-server.ts';

const km = { type: 'object', properties: { km: { type: 'number' } }, required: ['km'] };
const closed = { type: 'object', properties: { tags: {} }, required: ['tags'], additionalProperties: false };

async function call(outputSchema: JsonObject | undefined, result: JsonObject, options = {}) {
  const { client } = await reach(
    { tools: [tool('route', {}, outputSchema)], results: { 'tools/call': result } },
    options,
  );
  await client.listTools();
  return client.callTool('route');
}

describe('a structured result', () => {
  it('[TOOL-22] [TOOL-37] [results-04] that breaks the output schema is refused, naming server, tool, rule and place', async () => {
    const error = await failure(call(km, structured({ km: 'secret-42' })));
    expect(error).toMatchObject({ code: 'result-rejected', server: 'depot' });
    expect(error.message).toMatch(/MCP server "depot".*"route".*"\/km" \(type\)/);
    expect(error.message).not.toContain('secret-42');
  });

  it('[TOOL-22] [results-04] that is missing is refused', async () => {
    const error = await failure(call(km, { content: [{ type: 'text', text: '{}' }] }));
    expect(error).toMatchObject({
      code: 'result-rejected',
      message: expect.stringContaining('no structuredContent') as string,
    });
  });

  it.each([{ structuredContent: { error: 'closed' } }, {}])(
    '[TOOL-28] [results-04] passes with isError: %j',
    async (rest) => {
      const result = { isError: true, content: [{ type: 'text', text: 'route closed until 6' }], ...rest };
      expect(await call(km, result)).toMatchObject(result);
      expect(warnings).toEqual([]);
    },
  );

  it('[results-05] is checked without what stands beside it', async () => {
    const result = { ...structured({ tags: [] }), vendor: 1, _meta: { 'com.example/t': 1 } };
    expect(await call(closed, result)).toMatchObject(result);
  });

  it.each([{}, [], 0, false, '', null])('[results-03] is there when it is %j', async (value) => {
    expect(await call({}, structured(value))).toMatchObject({ structuredContent: value });
    expect((await failure(call({ type: 'object', required: ['a'] }, structured(value)))).code).toBe('result-rejected');
  });

  it('[results-02] needs no text', async () => {
    expect(await call(km, structured({ km: 12 }))).toMatchObject({ content: [], structuredContent: { km: 12 } });
  });

  it('shows no name of a member that may be content', async () => {
    const schema = { type: 'object', additionalProperties: { type: 'number' } };
    const error = await failure(call(schema, structured({ 'the password is hunter2': 'x' })));
    expect(error.message).not.toContain('hunter2');
    expect(error.message).toContain('"/…"');
  });

  it.each([
    [10, 'result-rejected'],
    [1e17, undefined],
  ])('is judged by the nearest double where it holds big integers, maximum %d', async (maximum, code) => {
    const schema = { type: 'object', properties: { id: { type: 'integer', maximum } } };
    const server = { tools: [tool('t', {}, schema)], results: { 'tools/call': structured({ id: 'ID' }) } };
    const { client, peer } = await reach(server, { exactIntegers: true });
    await client.listTools();
    peer.send = (message) => peer.sendText(JSON.stringify(message).replace('"ID"', '9007199254740993'));
    const called = client.callTool('t');
    if (code === undefined) expect(await called).toMatchObject({ structuredContent: { id: 9_007_199_254_740_993n } });
    else expect((await failure(called)).code).toBe(code);
  });

  it.each([
    ['date-time', '2024-01-01T10:00:00'],
    ['time', '10:00:00'],
    ['duration', '-P1D'],
    ['uri', ''],
    ['email', 'root@localhost'],
    ['uuid', '6BA7B8109DAD11D180B400C04FD430C8'],
    ['ipv4', '10.0.0.0/8'],
  ])('passes where a text is no %s as others write it: %s', async (format, at) => {
    const properties = { at: { type: 'string', format } };
    const tools = [tool('t', { properties }, { type: 'object', properties })];
    const results = { 'tools/call': structured({ at }) };
    const { client } = await reach({ tools, results }, { checks: { arguments: 'reject' } });
    await client.listTools();
    expect(await client.callTool('t', { at })).toMatchObject({ structuredContent: { at } });
    expect(warnings).toEqual([]);
  });

  describe('after the server said that its tools changed', () => {
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    const tools = [tool('route', { required: ['to'] }, km)];

    it.each([structured({ km: 'x' }), { content: [] }])('passes with a warning: %j', async (result) => {
      const { client, peer } = await reach({ tools, results: { 'tools/call': result } });
      await client.listTools();
      expect((await failure(client.callTool('route'))).code).toBe('result-rejected');
      peer.send(changed);
      expect(await client.callTool('route')).toMatchObject(result);
      expect(warnings).toMatchObject([
        { code: 'rule-broken', message: expect.stringMatching(/"route".*tools changed/) as string },
      ]);
    });

    it('passes with a warning where it said so while the tool ran', async () => {
      const { client } = await reach({
        tools,
        results: { 'tools/call': structured({ km: 'x' }) },
        before: (peer) => peer.send(changed),
      });
      await client.listTools();
      expect(await client.callTool('route')).toMatchObject({ structuredContent: { km: 'x' } });
    });

    it('passes with a warning where it said so while the tools were listed', async () => {
      const results = { 'tools/call': structured({ km: 'x' }) };
      const { client } = await reach({ tools, results, beforeList: (peer) => peer.send(changed) });
      await client.listTools();
      expect(await client.callTool('route')).toMatchObject({ structuredContent: { km: 'x' } });
    });

    it('is judged by the list that came last, also where an earlier one takes longer to measure', async () => {
      const many = Array.from({ length: 3000 }, (_, index) => tool(`t${index}`, { description: 'x'.repeat(500) }, km));
      const lists = [[tool('route', {}, closed), ...many], [tool('route', {}, km)]];
      const answer = { 'tools/call': structured({ km: 1 }) };
      const { client } = await reach({ tools: () => lists.shift() ?? [], results: answer }, { cache: false });
      await Promise.all([client.listTools(), client.listTools()]);
      expect(await client.callTool('route')).toMatchObject({ structuredContent: { km: 1 } });
    });

    it('is refused again once the tools were listed again', async () => {
      const { client, peer } = await reach({ tools, results: { 'tools/call': structured({ km: 'x' }) } });
      await client.listTools();
      peer.send(changed);
      await client.listTools();
      expect((await failure(client.callTool('route'))).code).toBe('result-rejected');
    });

    it('is no reason to refuse arguments', async () => {
      const results = { 'tools/call': structured({ km: 1 }) };
      const { client, peer } = await reach({ tools, results }, { checks: { arguments: 'reject' } });
      await client.listTools();
      expect((await failure(client.callTool('route'))).code).toBe('invalid-argument');
      peer.send(changed);
      expect(await client.callTool('route')).toMatchObject({ structuredContent: { km: 1 } });
      expect(warnings.map(({ code }) => code)).toEqual(['rule-broken']);
    });
  });

  it('is handed on with a warning, or without, as the caller likes', async () => {
    const broken = structured({ km: 'x' });
    expect(await call(km, broken, { checks: { outputSchema: 'warn' } })).toMatchObject(broken);
    expect(warnings.map(({ code }) => code)).toEqual(['rule-broken']);
    expect(warnings[0]?.message).toMatch(/depot.*route.*\/km/);
    warnings.length = 0;
    expect(await call(km, broken, { checks: { outputSchema: 'off' } })).toMatchObject(broken);
    expect(await call(km, broken, { checks: false })).toMatchObject(broken);
    expect(warnings).toEqual([]);
  });

  it('of a tool that was never listed is not checked', async () => {
    const { client } = await reach({
      tools: [tool('route', {}, km)],
      results: { 'tools/call': structured({ km: 'x' }) },
    });
    expect(await client.callTool('route')).toMatchObject({ structuredContent: { km: 'x' } });
  });

  it.each([{ schemas: 'maybe' }, { outputSchema: true }, { agreement: 1 }, { arguments: 'on' }])(
    'has no check that is set like %j',
    async (checks) => {
      expect((await failure(call(km, structured({ km: 1 }), { checks }))).code).toBe('invalid-argument');
    },
  );
});

describe('text beside a structured result', () => {
  const lie = structured({ approved: false }, '{"approved":true}');

  it('that says something else has a warning', async () => {
    expect(await call(undefined, lie)).toMatchObject(lie);
    expect(warnings).toMatchObject([
      { code: 'rule-broken', message: expect.stringMatching(/"depot".*content\[0\].*"route" do not agree/) as string },
    ]);
  });

  it('that says something else is refused where the caller wants it', async () => {
    const error = await failure(call(undefined, lie, { checks: { agreement: 'reject' } }));
    expect(error).toMatchObject({ code: 'result-rejected', server: 'depot' });
    expect(error.message).not.toContain('approved');
  });

  it('that says the same has no warning', async () => {
    await call(undefined, structured({ a: 1, b: [2] }, '{ "b": [2], "a": 1.0 }'));
    expect(warnings).toEqual([]);
  });

  it('is compared in linear time where there are very many blocks and parts', async () => {
    const rows = Array.from({ length: 40_000 }, (_, row) => `[${row}]`);
    const startedAt = performance.now();
    await call(undefined, structured(rows, ...rows.map((row) => `${row} `)));
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

describe('a result that nests very deep', () => {
  it.each(['tools/call', 'resources/read', 'prompts/get'])('is refused: %s', async (method) => {
    const { client, peer } = await reach({});
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const call = {
      'tools/call': () => client.callTool('x'),
      'resources/read': () => client.readResource('x://a'),
      'prompts/get': () => client.getPrompt('x'),
    }[method];
    const send = peer.send;
    peer.send = (message) => {
      const members = '"content":[],"contents":[],"messages":[],"structuredContent"';
      peer.sendText(JSON.stringify(message).replace('"resultType"', `${members}:${deep},"resultType"`));
    };
    const error = await failure(call?.() ?? Promise.resolve());
    peer.send = send;
    expect(error).toMatchObject({ code: 'result-rejected', message: expect.stringContaining('512 levels') as string });
  });
});
