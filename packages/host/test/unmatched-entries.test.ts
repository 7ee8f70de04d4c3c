import { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it, vi } from 'vitest';
import type { ServerCatalog } from '../src/catalog/server-catalog.ts';
import { createUnmatchedWarnings } from '../src/policy/unmatched-warnings.ts';
import type { AccessRule } from '../src/policy/short-form.ts';
import { closeAfterwards } from './open-for-test.ts';
import { openTestHost } from './open-test-host.ts';

type Lists = { readonly allow?: string[]; readonly ask?: string[]; readonly deny?: string[] };

const ev = () =>
  createScriptedServer({
    tools: [toolDefinition('get-env'), toolDefinition('echo'), toolDefinition('ship.create')],
    prompts: [{ name: 'review' }],
    resources: [{ uri: 'doc://1', name: 'one' }],
    resourceTemplates: [{ uriTemplate: 'orders://{id}/x', name: 'order' }],
  });

async function open(reader: Lists, servers: Parameters<typeof openTestHost>[0] = { ev: ev() }) {
  const warn = vi.fn<(fields: object, message: string) => void>();
  const logger = { info: () => undefined, warn, error: () => undefined };
  const host = closeAfterwards(await openTestHost(servers, { agents: { reader } }, { logger }));
  const told = () => warn.mock.calls.map(([, message]) => message).filter((message) => message.startsWith('agents.'));
  return { host, agent: host.as('reader'), told };
}

describe('an access entry', () => {
  it.each<[Lists, string]>([
    [
      { deny: ['ev__get_env'] },
      'deny[0] is "ev__get_env", and server "ev" has no tool that it matches; did you mean "ev__get-env"?',
    ],
    [
      { allow: ['tool:ev__ehco'] },
      'allow[0] is "tool:ev__ehco", and server "ev" has no tool that it matches; did you mean "tool:ev__echo"?',
    ],
    [{ ask: ['ev__zzz*'] }, 'ask[0] is "ev__zzz*", and server "ev" has no tool that it matches'],
    [
      { deny: ['prompt:ev__reveiw'] },
      'deny[0] is "prompt:ev__reveiw", and server "ev" has no prompt that it matches; did you mean "prompt:ev__review"?',
    ],
    [
      { deny: ['resource:ev:doc://2'] },
      'deny[0] is "resource:ev:doc://2", and server "ev" has no resource that it matches; did you mean "resource:ev:doc://1"?',
    ],
    [
      { deny: ['resource:ev:bills://*'] },
      'deny[0] is "resource:ev:bills://*", and server "ev" has no resource that it matches',
    ],
  ])(
    'that matches nothing of the server that it names is told of once, with the nearest name: %j',
    async (lists, warning) => {
      const { agent, told } = await open(lists);
      for (const list of [agent.tools, agent.prompts, agent.tools]) await list();
      // An agent that reaches nothing waits for nobody, so its entries are told of with a later list.
      await vi.waitFor(async () => {
        await agent.tools();
        expect(told()).toEqual([`agents.reader.${warning}`]);
      });
    },
  );

  it.each<Lists>([
    { deny: ['ev__get-env', 'ev__get*', 'ev__ship.create', '*__nothing_of_it', '*'] },
    { allow: ['ev__*', 'prompt:ev__*', 'prompt:ev__rev*', 'resource:ev:*'] },
    { allow: ['resource:ev:doc://1', 'resource:ev:orders://A-1/x', 'resource:ev:orders://*', 'resource:*'] },
  ])('that matches something, names no server, or means all of one is not told of: %j', async (lists) => {
    const { agent, told } = await open({ allow: ['ev__*'], ...lists });
    await agent.tools();
    expect(agent.unmatchedEntries()).toEqual([]);
    expect(told()).toEqual([]);
  });

  it('is told of under the configured name of a server, too, where a deny covers that', async () => {
    const { agent } = await open(
      { allow: ['*'], deny: ['my docs__gte', 'my docs__get'] },
      { 'my docs': createScriptedServer({ tools: [toolDefinition('get')] }) },
    );
    await agent.tools();
    expect(agent.unmatchedEntries().map(({ path }) => path)).toEqual([['agents', 'reader', 'deny', 0]]);
  });

  it('of a deny comes before one of an ask and an allow', async () => {
    const { agent, told } = await open({ allow: ['ev__*', 'ev__a1'], ask: ['ev__b1'], deny: ['ev__c1', 'ev__d1'] });
    await agent.tools();
    expect(told().map((message) => /(\w+\[\d\]) is/.exec(message)?.[1])).toEqual([
      'deny[0]',
      'deny[1]',
      'ask[0]',
      'allow[1]',
    ]);
  });

  it.each([
    ['that never answered', () => Promise.reject(new Error('down'))],
    ['that refuses to list its tools', undefined],
  ])('about a server %s is not told of', async (_what, respond) => {
    const refusing = createScriptedServer({
      tools: [],
      answer(method) {
        if (method === 'tools/list') throw new ProtocolError('internalError', 'no');
        return undefined;
      },
    });
    const { agent, told } = await open(
      { allow: ['*'], deny: ['s__get_env'] },
      { s: respond === undefined ? refusing : { respond } },
    );
    await agent.tools();
    expect(agent.unmatchedEntries()).toEqual([]);
    expect(told()).toEqual([]);
  });

  it('is told of without what a terminal would obey in the name that a server has', async () => {
    const server = createScriptedServer({
      tools: [toolDefinition('get\u009b31m_env\u202e')],
      resources: [{ uri: 'doc://ord\u202eers', name: 'one' }],
    });
    const { agent, told } = await open(
      { allow: ['s__*'], deny: ['s__get31m_env', 'resource:s:doc://orders'] },
      { s: server },
    );
    await agent.tools();
    expect(told()).toEqual([
      expect.stringMatching(/did you mean "s__get.*_env.*"\?$/),
      expect.stringMatching(/did you mean "resource:s:doc:.*ers"\?$/),
    ]);
    expect(told().join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  });

  it('that was told of is not looked at again, however often its server changes', async () => {
    const servers = [{ name: 'ev', catalog: undefined as ServerCatalog | undefined }];
    const looks: string[] = [];
    const rule = (entry: string): AccessRule => ({
      effect: 'deny',
      index: 0,
      entry,
      kind: 'tool',
      get patterns() {
        looks.push(entry);
        return [entry];
      },
    });
    const directory = { viewOf: () => ({}), upstreams: () => servers };
    const warn = vi.fn<(fields: object, message: string) => void>();
    const look = createUnmatchedWarnings(directory, { info: warn, warn, error: warn });
    const policy = { rules: [rule('ev__absent')] };
    const catalog = { tools: [], prompts: [], resources: [], templates: [], leftOut: [], freshMs: 0 };
    look('reader', policy);
    expect(warn).not.toHaveBeenCalled();
    servers[0] = { name: 'ev', catalog };
    look('reader', policy);
    expect(warn).toHaveBeenCalledTimes(1);
    const before = looks.length;
    look('reader', policy);
    expect([warn.mock.calls.length, looks.length]).toEqual([1, before]);
  });

  it('is told of when its server has changed', async () => {
    const server = ev();
    const { agent, told } = await open({ allow: ['ev__*'], deny: ['ev__echo'] }, { ev: server });
    await agent.tools();
    expect(told()).toEqual([]);
    server.script.tools = [toolDefinition('get-env')];
    await agent.tools();
    expect(told()).toHaveLength(1);
  });
});
