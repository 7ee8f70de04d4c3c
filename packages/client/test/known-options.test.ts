import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect, type ConnectOptions, createResponseCache, createRestartPolicy } from '../src/index.ts';
import { connect as connectOnNode } from '../src/node/index.ts';
import { createManualClock } from './manual-clock.ts';
import { closeAfterwards } from './serve-http.ts';
import { createScriptedPeer } from './scripted-peer.ts';

const nothing = { respond: () => Promise.reject(new Error('nobody must be asked')) };
const given = (options: object): ConnectOptions => options;

it.each([
  [{ timeoutMS: 1 }, 'connect: there is no option "timeoutMS"; did you mean "timeoutMs"?'],
  [{ listen: true }, 'connect: there is no option "listen"; did you mean "listensToLists"?'],
  [{ nonsense: 1 }, /^connect: there is no option "nonsense"; known are name, timeoutMs, /],
  [{ proxy: false }, 'connect: there is no option "proxy"; that is an option of connect of @switchyard/client/node'],
  [{ resultSize: { maxBites: 1 } }, 'connect, resultSize: there is no option "maxBites"; did you mean "maxBytes"?'],
  [{ tasks: { minPollMS: 1 } }, 'connect, tasks: there is no option "minPollMS"; did you mean "minPollMs"?'],
  [{ skills: { parseYAML: 1 } }, 'connect, skills: there is no option "parseYAML"; did you mean "parseYaml"?'],
  [{ icons: { trustedOrigin: 'any' } }, /^connect, icons: .*"trustedOrigins"\?$/],
  [{ input: { elicitform: () => 1 } }, /^connect, input: .*"elicitForm"\?$/],
  [{ restart: { maxShortLifes: 1 } }, /^connect, restart: .*"maxShortLives"\?$/],
  [{ checks: { outputSchemas: 'off' } }, /^connect, checks: .*"outputSchema"\?$/],
  [{ checks: { schemaLimits: { maxDepths: 1 } } }, /^connect, checks.schemaLimits: .*"maxDepth"\?$/],
])('connect refuses what is no option of it, and names the nearest: %j', async (options, message) => {
  await expect(connect(nothing, given(options))).rejects.toThrow(TypeError);
  await expect(connect(nothing, given(options))).rejects.toThrow(message);
});

it('connect of the node entry knows the options of both, and no other', async () => {
  const options = { ...given({ proxi: false }) };
  await expect(connectOnNode(nothing, options)).rejects.toThrow('did you mean "proxy"?');
  const folder = await mkdtemp(join(tmpdir(), 'options-'));
  await expect(connectOnNode(nothing, { proxy: false, baseEnv: {}, socketPath: folder })).rejects.toMatchObject({
    name: 'ClientError',
  });
});

it('connect says where an option of it is that stands in the target', async () => {
  const target = { url: 'http://depot.test/mcp', headers: {} };
  await expect(connect(target)).rejects.toThrow('that is an option of connect, its second argument');
});

it('a call, a subscription and the fetch of an icon refuse what is no option of theirs', async () => {
  const peer = createScriptedPeer();
  const client = closeAfterwards(await connect(peer.transport, { clock: createManualClock() }));
  const before = peer.written.length;
  const timeout = { timeoutMS: 1 };
  await expect(client.listTools(timeout as object)).rejects.toThrow(/^options of a call: .*"timeoutMs"\?$/);
  await expect(client.callTool('t', {}, timeout as object)).rejects.toThrow(TypeError);
  await expect(client.subscribe({ toolsListChanged: true }, { pollMS: 1 } as object)).rejects.toThrow(
    'subscribe: there is no option "pollMS"; did you mean "pollMs"?',
  );
  const icon = { src: 'data:image/png;base64,AAAA' };
  await expect(client.fetchIcon(icon, { maxByte: 1 } as object)).rejects.toThrow(/^fetchIcon: .*"maxBytes"\?$/);
  expect(peer.written).toHaveLength(before);
});

it.each([{ maxBytes: 0 }, { maxSide: 1.5 }, { maxFrames: Number.NaN }, { svg: 'any' as 'safe' }])(
  'no icon is fetched within limits that cannot be meant: %j',
  async (options) => {
    const client = closeAfterwards(
      await connect(createScriptedPeer().transport, { name: 'depot', clock: createManualClock() }),
    );
    await expect(client.fetchIcon({ src: 'data:image/png;base64,AAAA' }, options)).rejects.toMatchObject({
      code: 'invalid-argument',
      server: 'depot',
    });
  },
);

it('what is made beside connect refuses what is no option of it, too', () => {
  const options: readonly [() => unknown, string][] = [
    [() => createRestartPolicy({ circuitOpenMS: 1 } as object), '"circuitOpenMs"'],
    [() => createResponseCache({ maxTtlMS: 1 } as object), '"maxTtlMs"'],
  ];
  for (const [make, nearest] of options) {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`did you mean ${nearest}?`);
  }
});

it('an option that is undefined is as good as none', async () => {
  const client = closeAfterwards(
    await connect(createScriptedPeer().transport, given({ clock: createManualClock(), nonsense: undefined })),
  );
  expect(client.era).toBe('modern');
});
