import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { ClientError, type Client } from '@switchyard/client';
import { connect } from '@switchyard/client/node';

import { markedProcesses, openDescriptors, zombies } from './marked-processes.ts';
import { createRandom } from './random.ts';
import type { Soak } from './soak.ts';
import type { Behaviour } from './starts-server.ts';

/** What is done to a server, how often in a hundred, and how it behaves. */
interface Fate {
  readonly name: string;
  readonly share: number;
  readonly behaviour: Behaviour;
  run(start: Start): Promise<void>;
}

interface Start {
  connect(signal?: AbortSignal): Promise<Client>;
  random(): number;
}

const fates: readonly Fate[] = [
  { name: 'called and closed', share: 30, behaviour: 'plain', run: callAndClose },
  { name: 'killed from outside while it was called', share: 20, behaviour: 'plain', run: killWhileCalled },
  { name: 'killed from outside and started again', share: 10, behaviour: 'plain', run: killAndCallAgain },
  { name: 'given up while it started', share: 15, behaviour: 'plain', run: giveUpStart },
  { name: 'closed while it was called', share: 5, behaviour: 'plain', run: closeWhileCalled },
  { name: 'exits before it answers', share: 5, behaviour: 'crash', run: failToStart },
  { name: 'its grandchild ignores SIGTERM', share: 10, behaviour: 'deaf-grandchild', run: callAndClose },
  { name: 'ignores the end of its input and SIGTERM', share: 5, behaviour: 'stubborn', run: callAndClose },
];

const CONCURRENT = 8;
const QUIET_MS = 15_000;

/** Starts of stdio servers that each have a grandchild, ended in every way there is. */
export const clientStarts: Soak = {
  what: 'stdio servers with grandchildren, started and ended in every way: closed, killed, given up, deaf to SIGTERM; no process and no descriptor may be left',
  amount: 1_000,
  async run({ seed, amount, progress }) {
    const random = createRandom(seed);
    const marker = `SOAK_${randomUUID()}`;
    // What the runtime opens once is open from here on.
    await runFate(fates[0], marker, random);
    const before = { processes: markedProcesses(marker).length, descriptors: openDescriptors() };
    const done: Record<string, number> = {};
    const wrong: string[] = [];
    let started = 0;
    let mostProcesses = 0;
    const worker = async (): Promise<void> => {
      while (started < amount) {
        started += 1;
        const at = started;
        const fate = pickFate(random());
        try {
          await runFate(fate, marker, random);
        } catch (error) {
          wrong.push(`${fate.name}: ${String(error)}`);
        }
        done[fate.name] = (done[fate.name] ?? 0) + 1;
        if (at % 100 !== 0) continue;
        const now = markedProcesses(marker).length;
        mostProcesses = Math.max(mostProcesses, now);
        progress(`${at} starts, ${now} processes, ${openDescriptors()} descriptors`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, worker));
    const after = await whenQuiet(marker, before.descriptors);
    const ok =
      after.processes === 0 && after.zombies === 0 && after.descriptors <= before.descriptors && wrong.length === 0;
    return { ok, found: { before, after, mostProcesses, ends: done, wrong: wrong.slice(0, 10) } };
  },
};

function pickFate(dice: number): Fate {
  let left = dice * 100;
  const fate = fates.find(({ share }) => (left -= share) < 0) ?? fates[0];
  if (fate === undefined) throw new Error('there is no fate');
  return fate;
}

async function runFate(fate: Fate | undefined, marker: string, random: () => number): Promise<void> {
  if (fate === undefined) return;
  const program = fileURLToPath(new URL('./starts-server.ts', import.meta.url));
  const command = { command: process.execPath, args: [program, fate.behaviour], env: { [marker]: '1' } };
  await fate.run({ random, connect: (signal) => connect(command, { name: 'soak', ...(signal && { signal }) }) });
}

async function pidOf(client: Client): Promise<number> {
  const [block] = (await client.callTool('pid')).content;
  return Number(block?.type === 'text' ? block.text : undefined);
}

async function callAndClose({ connect: start }: Start): Promise<void> {
  const client = await start();
  await pidOf(client);
  await client.close();
}

async function killWhileCalled({ connect: start }: Start): Promise<void> {
  const client = await start();
  const pid = await pidOf(client);
  const call = codeOf(client.callTool('hang'));
  process.kill(pid, 'SIGKILL');
  expectCode(await call, 'outcome-unknown');
  await client.close();
}

async function killAndCallAgain({ connect: start }: Start): Promise<void> {
  const client = await start();
  const pid = await pidOf(client);
  const call = codeOf(client.callTool('hang'));
  process.kill(pid, 'SIGKILL');
  await call;
  if ((await pidOf(client)) === pid) throw new Error('a killed process answered');
  await client.close();
}

async function closeWhileCalled({ connect: start }: Start): Promise<void> {
  const client = await start();
  const call = codeOf(client.callTool('hang'));
  await client.close();
  expectCode(await call, 'closed');
}

async function giveUpStart({ connect: start, random }: Start): Promise<void> {
  const controller = new AbortController();
  const opening = start(controller.signal).then(
    (client) => client.close(),
    (error: unknown) => expectCode((error as ClientError).code, 'aborted'),
  );
  await delay(random() * 120);
  controller.abort();
  await opening;
}

async function failToStart({ connect: start }: Start): Promise<void> {
  expectCode(await codeOf(start()), 'start-failed');
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'answered';
  } catch (error) {
    return error instanceof ClientError ? error.code : String(error);
  }
}

function expectCode(code: string, expected: string): void {
  if (code !== expected) throw new Error(`expected ${expected}, got ${code}`);
}

/** Whoever gives up a start does not wait for its end, so what is under way gets some time. */
async function whenQuiet(
  marker: string,
  descriptors: number,
): Promise<{ readonly processes: number; readonly zombies: number; readonly descriptors: number }> {
  for (let waitedMs = 0; ; waitedMs += 250) {
    const now = {
      processes: markedProcesses(marker).length,
      zombies: zombies().length,
      descriptors: openDescriptors(),
    };
    const isQuiet = now.processes === 0 && now.zombies === 0 && now.descriptors <= descriptors;
    if (isQuiet || waitedMs >= QUIET_MS) return now;
    await delay(250);
  }
}
