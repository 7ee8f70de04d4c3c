import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { openSqliteAppendLog } from '@switchyard/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { useTemporaryFolder } from './temporary-folder.ts';

const newPath = useTemporaryFolder();
const WRITER = fileURLToPath(new URL('./fixtures/append-until-killed.ts', import.meta.url));

interface Writer {
  readonly process: ChildProcess;
  /** The last sequence that was acknowledged. */
  acknowledged: number;
  /** Waits until `count` more appends were acknowledged. */
  more(count: number): Promise<void>;
  /** kill -9, then everything that it had acknowledged. */
  kill(): Promise<void>;
}

function startWriter(path: string, stream: string): Writer {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', WRITER, path, stream], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let onLine: (() => void) | undefined;
  const writer: Writer = {
    process: child,
    acknowledged: 0,
    more: (count) =>
      new Promise((resolve, reject) => {
        child.once('exit', () => reject(new Error(`writer ${stream} ended by itself`)));
        let left = count;
        onLine = () => {
          left -= 1;
          if (left === 0) resolve();
        };
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    writer.acknowledged = Math.max(writer.acknowledged, Number(line));
    onLine?.();
  });
  return writer;
}

it('keeps every acknowledged append of several processes, without a hole, when they are killed in the middle', async () => {
  const path = newPath('audit.db');
  const [first, second, third] = ['first', 'second', 'third'].map((stream) => startWriter(path, stream));
  if (first === undefined || second === undefined || third === undefined) throw new Error('three writers');
  await Promise.all([first.more(100), second.more(100), third.more(100)]);
  await first.kill();
  // The others go on after one died in the middle of whatever it did.
  await Promise.all([second.more(100), third.more(100)]);
  await Promise.all([second.kill(), third.kill()]);

  const log = await openSqliteAppendLog({ path });
  onTestFinished(() => log.close());
  const sequences = new Map<string, number>();
  for await (const { stream, sequence, text } of log.read()) {
    expect(sequence).toBe((sequences.get(stream) ?? 0) + 1);
    expect(JSON.parse(text)).toMatchObject({ writer: stream, n: sequence });
    sequences.set(stream, sequence);
  }
  for (const [stream, { acknowledged }] of Object.entries({ first, second, third })) {
    expect(acknowledged).toBeGreaterThanOrEqual(200);
    expect(sequences.get(stream)).toBeGreaterThanOrEqual(acknowledged);
    // Two records an append: all or none.
    expect((sequences.get(stream) ?? 0) % 2).toBe(0);
  }
  await log.append([{ stream: 'first', sequence: (sequences.get('first') ?? 0) + 1, text: '{}' }]);
  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
});
