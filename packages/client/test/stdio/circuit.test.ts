import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ClientError, connect, type ConnectOptions, createRestartPolicy } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { watch } from '../serve-scripted.ts';
import { createManualClock, type ManualClock, settle } from '../manual-clock.ts';
import { createScriptedPeer, discovery } from '../scripted-peer.ts';
import { createMortalServer, type MortalServer } from './mortal-server.ts';

const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function open(
  options: ConnectOptions = {},
): Promise<{ client: Client; server: MortalServer; clock: ManualClock }> {
  const clock = createManualClock();
  const server = createMortalServer();
  const client = await connect(server.transport, { name: 'depot', clock, random: () => 0, ...options });
  clients.push(client);
  return { client, server, clock };
}

/** Makes a call that ends the server, and answers its code; waits for the start as long as it takes. */
async function fatalCall(client: Client, clock: ManualClock): Promise<string> {
  const seen = watch(client.callTool('fatal'));
  await settle();
  while (seen.outcome === undefined) await clock.advance(50);
  return (seen.outcome as ClientError).code;
}

async function breakFiveTimes(client: Client, clock: ManualClock): Promise<void> {
  for (let life = 0; life < 5; life += 1) expect(await fatalCall(client, clock)).toBe('outcome-unknown');
}

/** A policy whose circuit opened after one failed start, at the moment when the next start is allowed. */
async function openTrial() {
  const clock = createManualClock();
  const server = createMortalServer();
  const restart = createRestartPolicy({ maxShortLives: 1 });
  server.comesUp = false;
  await failure(connect(server.transport, { clock, restart }));
  await clock.advance(30_000);
  server.comesUp = true;
  return { clock, server, restart };
}

describe('a server that keeps ending', () => {
  it('is started after longer and longer waits, five seconds at most', async () => {
    const { client, server, clock } = await open({ restart: { maxShortLives: Infinity } });
    for (let life = 0; life < 10; life += 1) expect(await fatalCall(client, clock)).toBe('outcome-unknown');
    const waits = server.starts.slice(1).map((at, index) => at - (server.starts[index] ?? 0));
    expect(waits).toEqual([0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('is waited for by half as long, at most, where chance wills', async () => {
    const { client, server, clock } = await open({ random: () => 0.999_999 });
    await breakFiveTimes(client, clock);
    const waits = server.starts.slice(1).map((at, index) => at - (server.starts[index] ?? 0));
    expect(waits.map(Math.round)).toEqual([0, 50, 100, 200]);
  });

  it('has its wait counted from its end, so that a call that comes late does not wait', async () => {
    const { client, server, clock } = await open();
    for (let life = 0; life < 4; life += 1) await fatalCall(client, clock);
    await clock.advance(60_000);
    expect(await client.listTools()).toMatchObject({ tools: [] });
    expect(server.starts.at(-1)).toBe(clock.now());
  });

  it('opens the circuit after five short lives: calls fail at once, with how it ended and when it is tried again', async () => {
    const { client, server, clock } = await open();
    await breakFiveTimes(client, clock);
    await clock.advance(12_000);
    const error = await failure(client.listTools());
    expect(error).toMatchObject({ code: 'circuit-open', server: 'depot', stderr: 'no licence found' });
    expect(error.message).toContain('failed 5 times in a row');
    expect(error.message).toContain('tried again in 18 s');
    expect(error.message).toContain('its process ended with exit code 1');
    expect(error.message.match(/no licence found/g)).toHaveLength(1);
    expect(error.message.match(/MCP server "depot"/g)).toHaveLength(1);
    expect(server.starts).toHaveLength(5);
  });

  it('gets one start once the circuit has been open for its time, for all callers together', async () => {
    const { client, server, clock } = await open();
    await breakFiveTimes(client, clock);
    await clock.advance(30_000);
    await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
    expect(server.starts).toHaveLength(6);
    expect(server.mostAlive()).toBe(1);
  });

  it('opens the circuit again at once where that start fails or is short', async () => {
    const { client, server, clock } = await open();
    await breakFiveTimes(client, clock);
    for (const comesUp of [true, false, true]) {
      server.comesUp = comesUp;
      await clock.advance(30_000);
      expect(await fatalCall(client, clock)).toBe(comesUp ? 'outcome-unknown' : 'start-failed');
      expect((await failure(client.listTools())).code).toBe('circuit-open');
    }
    expect(server.starts).toHaveLength(8);
  });

  it('is as new once it has lived for ten seconds', async () => {
    const { client, clock } = await open();
    await breakFiveTimes(client, clock);
    await clock.advance(30_000);
    await client.listTools();
    await clock.advance(10_000);
    // The end of a life that was long enough counts for nothing.
    expect(await fatalCall(client, clock)).toBe('outcome-unknown');
    await breakFiveTimes(client, clock);
    expect((await failure(client.listTools())).code).toBe('circuit-open');
  });

  it.each(['at the start', 'as the one that decides'])(
    'does not live while it hangs %s, however long',
    async (when) => {
      const clock = createManualClock();
      const server = createMortalServer();
      const restart = createRestartPolicy({ maxShortLives: 2 });
      const reach = async (): Promise<string> => {
        const opening = failure(connect(server.transport, { clock, restart, startTimeoutMs: 15_000 }));
        await clock.advance(16_000);
        return (await opening).code;
      };
      server.comesUp = when === 'at the start' ? 'never' : false;
      if (when !== 'at the start') {
        await reach();
        await clock.advance(30_000);
        server.comesUp = 'never';
      }
      expect(await reach()).toBe('timeout');
      if (when === 'at the start') expect(await reach()).toBe('timeout');
      expect(await reach()).toBe('circuit-open');
    },
  );

  it('has limits that the caller sets', async () => {
    const { client, clock } = await open({ restart: { maxShortLives: 1, circuitOpenMs: 5000 } });
    expect(await fatalCall(client, clock)).toBe('outcome-unknown');
    expect((await failure(client.listTools())).message).toContain('in 5 s');
    await clock.advance(5000);
    expect(await client.listTools()).toMatchObject({ tools: [] });
  });

  it.each([{ maxShortLives: 0 }, { maxShortLives: 1.5 }, { maxShortLives: NaN }, { circuitOpenMs: -1 }])(
    'has no limits that cannot be meant: %j',
    async (restart) => {
      const error = await failure(connect(createMortalServer().transport, { restart }));
      expect(error.code).toBe('invalid-argument');
      expect(error.message).toContain(`restart.${Object.keys(restart)[0]}`);
    },
  );

  it('is not counted for answers that end a start: no revision that is shared', async () => {
    const clock = createManualClock();
    const refused = createScriptedPeer(({ id }) => {
      refused.answer(id, { ...discovery, supportedVersions: ['2031-01-01'] });
      return true;
    });
    const restart = createRestartPolicy({ maxShortLives: 1 });
    for (let round = 0; round < 3; round += 1) {
      expect((await failure(connect(refused.transport, { clock, restart }))).code).toBe('version');
    }
  });

  it('is not counted for what its callers do: a client that is closed, a caller that gives up', async () => {
    const clock = createManualClock();
    const server = createMortalServer();
    const restart = createRestartPolicy({ maxShortLives: 1 });
    for (let round = 0; round < 3; round += 1) {
      const client = await connect(server.transport, { clock, restart });
      await client.close();
      await failure(connect(server.transport, { clock, restart, signal: AbortSignal.abort() }));
    }
    clients.push(await connect(server.transport, { clock, restart }));
    expect(server.starts).toHaveLength(4);
  });
});

describe('a restart policy that clients share', () => {
  it('bounds the starts of a server with wrong settings over all of them, and lets a retry by hand through', async () => {
    const clock = createManualClock();
    const server = createMortalServer();
    const restart = createRestartPolicy();
    server.comesUp = false;
    const codes: string[] = [];
    for (let second = 0; second < 25; second += 1) {
      codes.push((await failure(connect(server.transport, { clock, restart }))).code);
      await clock.advance(1000);
    }
    expect(codes).toEqual([...Array<string>(3).fill('start-failed'), ...Array<string>(22).fill('circuit-open')]);
    // One that ends on the probe is started once more each time.
    expect(server.starts).toHaveLength(6);
    restart.reset();
    server.comesUp = true;
    clients.push(await connect(server.transport, { clock, restart }));
  });

  it('lets one client of several make the start that decides', async () => {
    const { clock, server, restart } = await openTrial();
    const [first, second] = [
      connect(server.transport, { clock, restart }),
      connect(server.transport, { clock, restart }),
    ];
    clients.push(await first);
    expect((await failure(second)).message).toContain('by another caller');
  });

  it('lets the others through as soon as that start went well, and refuses them where one ends early again', async () => {
    const { clock, server, restart } = await openTrial();
    clients.push(await connect(server.transport, { clock, restart }));
    const second = await connect(server.transport, { clock, restart });
    clients.push(second);
    expect(await fatalCall(second, clock)).toBe('outcome-unknown');
    expect((await failure(second.listTools())).code).toBe('circuit-open');
    await clock.advance(30_000);
    expect(await second.listTools()).toMatchObject({ tools: [] });
  });

  it('counts connections that end together, as when a machine sleeps, once', async () => {
    const clock = createManualClock();
    const servers = Array.from({ length: 6 }, createMortalServer);
    const restart = createRestartPolicy();
    const opened = await Promise.all(servers.map(({ transport }) => connect(transport, { clock, restart })));
    clients.push(...opened);
    await clock.advance(5000);
    for (const server of servers) server.drop();
    await settle();
    for (const client of opened) expect(await client.listTools()).toMatchObject({ tools: [] });
  });
});

it('[config-04] a healthy server that drops twenty times in its life is still reached, and after two hours down it is back with the next try', async () => {
  const { client, server, clock } = await open();
  for (let drop = 0; drop < 20; drop += 1) {
    for (let minute = 0; minute < 10; minute += 1) {
      await client.callTool('fine');
      await clock.advance(60_000);
    }
    server.drop();
    await settle();
    await client.callTool('fine');
  }
  expect(server.starts).toHaveLength(21);

  server.comesUp = false;
  server.drop();
  await settle();
  for (let minute = 0; minute < 120; minute += 1) {
    const call = failure(client.callTool('fine'));
    await clock.advance(60_000);
    expect((await call).code).toMatch(/^(?:start-failed|circuit-open)$/);
  }
  server.comesUp = true;
  await clock.advance(30_000);
  expect(await client.callTool('fine')).toMatchObject({ content: [] });
});

it('[config-03] a server that exits at once is started eight times in a minute at most, over nine sessions that share a client, one at a time', async () => {
  const { client, server, clock } = await open({ random: Math.random });
  server.comesUp = false;
  server.drop();
  const before = server.starts.length;
  const seen = new Map<string, number>();
  const session = async (): Promise<void> => {
    // Longer than the minute that is looked at.
    for (let call = 0; call < 70; call += 1) {
      const { code } = await failure(client.callTool('fine'));
      seen.set(code, (seen.get(code) ?? 0) + 1);
      await new Promise<void>((resolve) => {
        clock.after(1000, resolve);
      });
    }
  };
  const sessions = Array.from({ length: 9 }, session);
  for (let second = 0; second < 60; second += 1) await clock.advance(1000);
  expect(server.starts.length - before).toBeLessThanOrEqual(8);
  expect(server.mostAlive()).toBe(1);
  expect(seen.get('circuit-open')).toBeGreaterThan(9 * 50);
  await clock.advance(60_000);
  await Promise.all(sessions);
});
