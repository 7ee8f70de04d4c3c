import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Client, createMemoryTransport } from '@switchyard/client';
import { connect } from '@switchyard/client/node';
import { type Segment, segmentMetaKey } from '@switchyard/server';

import { nextMessage } from '../next-message.ts';
import { mebibyte, mebibytesOf } from './mebibytes-of.ts';
import { createRandom } from './random.ts';
import { segmentServer } from './segment-server.ts';
import type { Soak } from './soak.ts';

const maxGrowthMiB = 50;
const noiseBytes = 64 * 1024;
const smallReads = 20_000;

/** One large file, read whole through its segments, to see how much of it is in memory at once. */
export const readSegments: Soak = {
  what: `a file of so many MiB, read in segments; every byte must arrive, and memory must not grow by more than ${maxGrowthMiB} MiB: over HTTP that of the server from its start on, in memory that of client and server together after ${smallReads} small reads`,
  amount: 1024,
  async run({ seed, amount, progress }) {
    const folder = await mkdtemp(join(tmpdir(), 'read-segments-'));
    try {
      const digest = await writeLarge(join(folder, 'large.bin'), amount, seed);
      await writeFile(join(folder, 'small.bin'), 'small');
      const inMemory = await readInMemory(folder, (line) => progress(`in memory: ${line}`));
      const overHttp = await readOverHttp(folder, (line) => progress(`over HTTP: ${line}`));
      const ok = [inMemory, overHttp].every((read) => read.digest === digest && read.growthMiB <= maxGrowthMiB);
      return { ok, found: { digest, inMemory, overHttp } };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

/** Writes noise at the beginning of every MiB, and leaves the rest of it empty, which takes no place on the disk. */
async function writeLarge(path: string, mebibytes: number, seed: number): Promise<string> {
  const random = createRandom(seed);
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  const block = Buffer.alloc(mebibyte);
  for (let index = 0; index < mebibytes; index += 1) {
    for (let at = 0; at < noiseBytes; at += 1) block[at] = Math.floor(random() * 256);
    hash.update(block);
    await file.write(block, 0, noiseBytes, index * mebibyte);
  }
  await file.truncate(mebibytes * mebibyte);
  await file.close();
  return hash.digest('hex');
}

interface Measured {
  readonly digest: string;
  readonly segments: number;
  readonly growthMiB: number;
  readonly seconds: number;
}

async function readOverHttp(folder: string, progress: (line: string) => void): Promise<Measured> {
  const started = performance.now();
  const execArgv = ['--conditions=@switchyard/source'];
  const child = fork(new URL('./segment-server.ts', import.meta.url), [folder], { execArgv });
  try {
    const url = (await nextMessage(child)) as string;
    const client = await connect(url, { name: 'over HTTP' });
    const read = await readAll(client, progress);
    await client.close();
    child.send('how much?');
    const growth = (await nextMessage(child)) as number;
    return { ...read, growthMiB: mebibytesOf(growth), seconds: secondsSince(started) };
  } finally {
    child.disconnect();
  }
}

async function readInMemory(folder: string, progress: (line: string) => void): Promise<Measured> {
  const client = await connect(createMemoryTransport(segmentServer(folder)), { name: 'in memory' });
  for (let read = 0; read < smallReads; read += 1) await client.readResource('file:///small.bin');
  const started = performance.now();
  const before = process.memoryUsage.rss();
  let peak = before;
  const read = await readAll(client, progress, () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  });
  await client.close();
  return { ...read, growthMiB: mebibytesOf(peak - before), seconds: secondsSince(started) };
}

async function readAll(
  client: Client,
  progress: (line: string) => void,
  sample: () => void = () => undefined,
): Promise<Pick<Measured, 'digest' | 'segments'>> {
  const hash = createHash('sha256');
  let segments = 0;
  for (let uri: string | undefined = 'file:///large.bin'; uri !== undefined;) {
    const { contents } = await client.readResource(uri);
    const [content] = contents;
    if (content === undefined || !('blob' in content)) throw new Error(`${uri} holds no bytes`);
    hash.update(content.blob, 'base64');
    sample();
    segments += 1;
    const segment = content._meta?.[segmentMetaKey] as Segment | undefined;
    if (segments % 4_096 === 0) progress(`${segments} segments`);
    uri = segment?.next;
  }
  return { digest: hash.digest('hex'), segments };
}

function secondsSince(started: number): number {
  return Math.round((performance.now() - started) / 1000);
}
