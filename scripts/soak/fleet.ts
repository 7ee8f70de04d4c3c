import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { nextMessage } from '../next-message.ts';
import type { FleetReport } from './fleet-server.ts';
import { createRandom } from './random.ts';
import { requestOf } from './request-of.ts';
import { startRoundRobin } from './round-robin.ts';
import type { Soak } from './soak.ts';

/** What a client reads of a response. */
interface Answer {
  readonly result?: { readonly requestState?: string; readonly content?: readonly [{ readonly text: string }] };
  readonly error?: { readonly code: number };
}

/** Rounds of one request that each go to another process, and request states that must not reach a handler. */
export const fleet: Soak = {
  what: 'two processes behind a round-robin reverse proxy: a call of three rounds goes on at the other process each time, and of so many altered, replayed and foreign request states none reaches a handler',
  amount: 10_000,
  async run({ seed, amount, progress }) {
    const folder = await mkdtemp(join(tmpdir(), 'fleet-'));
    const children: ChildProcess[] = [];
    try {
      const key = randomBytes(32).toString('base64url');
      const instances = await Promise.all([0, 1].map(() => start(join(folder, 'records.db'), key, children)));
      const foreign = await start(join(folder, 'foreign.db'), randomBytes(32).toString('base64url'), children);
      const proxy = await startRoundRobin(instances.map(({ url }) => url));
      try {
        const rounds = await threeRounds(proxy.url);
        progress(`three rounds on the processes ${rounds.processes.join(', ')}`);
        const before = await runsOf(children);
        const refused = await refusals({ url: proxy.url, foreign: foreign.url, seed, amount, progress });
        const after = await runsOf(children);
        // Each state that was altered came from a first round, and each that was replayed was used once.
        const reached = after.rounds - before.rounds - refused.firstRounds + (after.once - before.once - refused.used);
        const alternates = rounds.processes.every((pid, index) => index === 0 || pid !== rounds.processes[index - 1]);
        const ok = alternates && rounds.done && reached === 0 && refused.wrong.length === 0 && refused.total === amount;
        return { ok, found: { rounds, refused, reached, requestsOfInstances: proxy.counts } };
      } finally {
        await proxy[Symbol.asyncDispose]();
      }
    } finally {
      for (const child of children) child.disconnect();
      await rm(folder, { recursive: true });
    }
  },
};

async function start(path: string, key: string, children: ChildProcess[]): Promise<FleetReport> {
  const execArgv = ['--conditions=@switchyard/source'];
  const child = fork(new URL('./fleet-server.ts', import.meta.url), [path, key], { execArgv });
  children.push(child);
  return (await nextMessage(child)) as FleetReport;
}

/** How many runs reached a handler in all processes. */
async function runsOf(children: readonly ChildProcess[]): Promise<{ readonly rounds: number; readonly once: number }> {
  const reports = children.map(async (child) => {
    child.send('how many?');
    return ((await nextMessage(child)) as FleetReport).runs;
  });
  const all = await Promise.all(reports);
  const sum = (tool: string): number => all.reduce((total, runs) => total + (runs[tool] ?? 0), 0);
  return { rounds: sum('rounds'), once: sum('once') };
}

async function call(url: string, name: string, more: object = {}, caller = 'ada', args: object = {}): Promise<Answer> {
  const params = { name, arguments: args, ...more };
  const { headers, body } = requestOf('tools/call', params, { capabilities: { elicitation: {} } });
  const response = await fetch(url, { method: 'POST', headers: { ...headers, 'x-caller': caller }, body });
  return (await response.json()) as Answer;
}

async function threeRounds(url: string): Promise<{ readonly processes: readonly number[]; readonly done: boolean }> {
  let answer = await call(url, 'rounds');
  for (const key of ['topic', 'goal', 'end']) {
    const inputResponses = { [key]: { action: 'accept', content: { [key]: `the ${key}` } } };
    answer = await call(url, 'rounds', { requestState: answer.result?.requestState, inputResponses });
  }
  const { processes, answers } = JSON.parse(answer.result?.content?.[0].text ?? '{}') as {
    readonly processes: readonly number[];
    readonly answers: readonly unknown[];
  };
  return { processes, done: answers.length === 3 };
}

interface Refusals {
  total: number;
  altered: number;
  replayed: number;
  foreign: number;
  /** Rounds that the states came from. */
  firstRounds: number;
  /** States that were used once before they were replayed. */
  used: number;
  readonly wrong: unknown[];
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
const FRESH_EVERY = 500;
const CONCURRENT = 16;

async function refusals(options: {
  readonly url: string;
  readonly foreign: string;
  readonly seed: number;
  readonly amount: number;
  progress(line: string): void;
}): Promise<Refusals> {
  const { url, foreign, seed, amount, progress } = options;
  const random = createRandom(seed);
  const seen: Refusals = { total: 0, altered: 0, replayed: 0, foreign: 0, firstRounds: 0, used: 0, wrong: [] };
  const answer = { action: 'accept', content: { topic: 'x' } };
  const who = (name: string) => ({ who: { action: 'accept', content: { who: name } } });

  while (seen.total < amount) {
    const states = await Promise.all([call(url, 'rounds'), call(url, 'once'), call(foreign, 'rounds')]);
    const [good = '', used = '', other = ''] = states.map(({ result }) => result?.requestState);
    seen.firstRounds += 2;
    await call(url, 'once', { requestState: used, inputResponses: who('first') });
    seen.used += 1;
    const batch = Math.min(FRESH_EVERY, amount - seen.total);
    let sent = 0;
    const worker = async (): Promise<void> => {
      while (sent < batch) {
        sent += 1;
        const kind = random();
        let refused: Answer;
        if (kind < 0.6) {
          seen.altered += 1;
          refused = await call(url, 'rounds', { requestState: alter(good, random), inputResponses: { topic: answer } });
        } else if (kind < 0.8) {
          seen.replayed += 1;
          refused = await call(url, 'once', { requestState: used, inputResponses: who(`again ${seen.replayed}`) });
        } else {
          seen.foreign += 1;
          refused = await foreignCall({ url, good, other, answer, random });
        }
        seen.total += 1;
        if (refused.error?.code !== -32602) seen.wrong.push(refused);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, worker));
    if (seen.total % 2_000 < FRESH_EVERY) progress(`${seen.total} states refused`);
  }
  return { ...seen, wrong: seen.wrong.slice(0, 5) };
}

/** A state of another server, caller, tool or argument. */
function foreignCall({
  url,
  good,
  other,
  answer,
  random,
}: {
  readonly url: string;
  readonly good: string;
  readonly other: string;
  readonly answer: object;
  random(): number;
}): Promise<Answer> {
  const retry = { requestState: good, inputResponses: { topic: answer } };
  const kind = Math.floor(random() * 4);
  if (kind === 0) return call(url, 'rounds', { ...retry, requestState: other });
  if (kind === 1) return call(url, 'rounds', retry, 'eve');
  if (kind === 2) return call(url, 'once', retry);
  return call(url, 'rounds', retry, 'ada', { n: Math.floor(random() * 1000) });
}

/** Changes, drops, doubles or adds one character. */
function alter(state: string, random: () => number): string {
  const at = Math.floor(random() * state.length);
  const other = (not: string | undefined): string => {
    const character = ALPHABET[Math.floor(random() * ALPHABET.length)] ?? 'A';
    return character === not ? other(not) : character;
  };
  const kind = Math.floor(random() * 4);
  if (kind === 0) return state.slice(0, at) + state.slice(at + 1);
  if (kind === 1) return state.slice(0, at) + other(undefined) + state.slice(at);
  if (kind === 2) return state.slice(0, at);
  return state.slice(0, at) + other(state[at]) + state.slice(at + 1);
}
