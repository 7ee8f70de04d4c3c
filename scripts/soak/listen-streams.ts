import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';

import { nextMessage } from '../next-message.ts';
import { mebibytesOf } from './mebibytes-of.ts';
import { requestOf } from './request-of.ts';
import type { Soak } from './soak.ts';
import type { StreamsReport } from './streams-server.ts';

const maxGrowthMiB = 200;
const OPENING = 100;

/** Many open subscriptions at one server. */
export const listenStreams: Soak = {
  what: `so many open listen streams at one process: each gets its acknowledgement and two changes, the server's memory stays within ${maxGrowthMiB} MiB above that of the idle process, and calls are answered beside them`,
  amount: 5_000,
  async run({ amount, progress }) {
    const execArgv = ['--conditions=@switchyard/source', '--expose-gc'];
    const child = fork(new URL('./streams-server.ts', import.meta.url), [], { execArgv });
    const report = async (): Promise<StreamsReport> => {
      child.send('report');
      return (await nextMessage(child)) as StreamsReport;
    };
    try {
      await nextMessage(child);
      const idle = await report();
      const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
      const messages = { acknowledged: 0, changes: 0 };
      const streams: { destroy(): void }[] = [];
      while (streams.length < amount) {
        const batch = Math.min(OPENING, amount - streams.length);
        streams.push(
          ...(await Promise.all(
            Array.from({ length: batch }, (_, index) => open(idle.url, streams.length + index, agent, messages)),
          )),
        );
        if (streams.length % 1_000 === 0) progress(`${streams.length} streams are open`);
      }
      const opened = await report();
      for (const count of [1, 2]) {
        child.send('change');
        await reached(() => messages.changes, count * amount);
      }
      const changed = await report();
      const answered = await callIsAnswered(idle.url);
      for (const stream of streams) stream.destroy();
      const growthMiB = mebibytesOf(Math.max(opened.rssBytes, changed.rssBytes) - idle.rssBytes);
      const ok =
        answered && messages.acknowledged === amount && messages.changes === 2 * amount && growthMiB <= maxGrowthMiB;
      const found = {
        ...messages,
        answered,
        idleMiB: mebibytesOf(idle.rssBytes),
        growthMiB,
        kibPerStream: Math.round(((growthMiB * 1024) / amount) * 10) / 10,
      };
      return { ok, found };
    } finally {
      child.disconnect();
    }
  },
};

function open(
  url: string,
  id: number,
  agent: Agent,
  messages: { acknowledged: number; changes: number },
): Promise<{ destroy(): void }> {
  const params = { notifications: { toolsListChanged: true } };
  const { headers, body } = requestOf('subscriptions/listen', params, { id });
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: 'POST', headers: { ...headers, accept: 'text/event-stream' } },
      (response) => {
        response.setEncoding('utf8').on('data', (chunk: string) => {
          if (chunk.includes('subscriptions/acknowledged')) {
            messages.acknowledged += 1;
            resolve(sent);
          }
          messages.changes += chunk.split('tools/list_changed').length - 1;
        });
        response.on('error', () => undefined);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function callIsAnswered(url: string): Promise<boolean> {
  const response = await fetch(url, { method: 'POST', ...requestOf('tools/call', { name: 'echo' }, { id: 'call' }) });
  return (await response.text()).includes('here');
}

async function reached(count: () => number, expected: number): Promise<void> {
  const until = performance.now() + 60_000;
  while (count() < expected && performance.now() < until) {
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
