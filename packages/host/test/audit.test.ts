import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type AppendLog, createMemoryAppendLog, type LoggedRecord } from '@switchyard/stores';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArgumentKey } from '../src/audit/argument-key.ts';
import { type AuditQuery, createAudit } from '../src/audit/audit.ts';
import { openAudit, openAuditLog } from '../src/audit/audit-log.ts';
import { canonicalJson } from '../src/json/canonical-json.ts';
import { openChain } from '../src/audit/chain.ts';
import { type AuditEntry, type AuditRecord, openRecord, sealRecord } from '../src/audit/record.ts';
import { redactArguments } from '../src/audit/redact-arguments.ts';
import { verifyAudit } from '../src/audit/verify.ts';

const surroundings = { epochNow: () => Date.UTC(2026, 0, 1), randomBytes };

function entry(kind: AuditEntry['kind'], callId: string, rest: Partial<AuditEntry> = {}): AuditEntry {
  return { kind, callId, agent: 'reader', method: 'tools/call', name: 'read', ...rest };
}

/** A log that holds exactly these records, whatever they say. */
function logOf(records: readonly Omit<LoggedRecord, 'position'>[]): AppendLog {
  const log = createMemoryAppendLog();
  return {
    ...log,
    async *read() {
      for (const [index, record] of records.entries()) yield { ...record, position: index + 1 };
      return undefined;
    },
  };
}

async function chainOf(...entries: AuditEntry[]): Promise<Omit<LoggedRecord, 'position'>[]> {
  const log = createMemoryAppendLog();
  const chain = await openChain(log, 'one', surroundings.epochNow);
  for (const each of entries) await chain.append(each);
  const records: Omit<LoggedRecord, 'position'>[] = [];
  for await (const { stream, sequence, text } of log.read()) records.push({ stream, sequence, text });
  return records;
}

/** The records with members replaced. */
function changed(
  records: readonly Omit<LoggedRecord, 'position'>[],
  change: { stream?: (stream: string) => string; text?: (text: string) => string },
): Omit<LoggedRecord, 'position'>[] {
  return records.map(({ stream, sequence, text }) => ({
    stream: change.stream?.(stream) ?? stream,
    sequence,
    text: change.text?.(text) ?? text,
  }));
}

async function problemsOf(records: readonly Omit<LoggedRecord, 'position'>[]): Promise<string[]> {
  const { ok, problems, problemCount } = await verifyAudit(logOf(records));
  expect(ok).toBe(problemCount === 0);
  return problems.map(({ sequence, problem }) => `${sequence}: ${problem}`);
}

describe('a chain', () => {
  it('binds each record to the one before it', async () => {
    const records = (await chainOf(entry('intent', 'c1'), entry('outcome', 'c1'), entry('refused', 'c2'))).map(
      ({ text }) => JSON.parse(text) as AuditRecord,
    );
    expect(records.map(({ previous }) => previous)).toEqual([null, records[0]?.hash, records[1]?.hash]);
    expect(records.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(records[0]).toMatchObject({ v: 1, stream: 'one', time: '2026-01-01T00:00:00.000Z', kind: 'intent' });
  });

  it('keeps the order of overlapping appends', async () => {
    const log = createMemoryAppendLog();
    const chain = await openChain(log, 'one', surroundings.epochNow);
    await Promise.all(Array.from({ length: 50 }, (_, index) => chain.append(entry('refused', `c${index}`))));
    const report = await verifyAudit(log);
    expect(report).toMatchObject({ ok: true, records: 50, refused: 50 });
  });

  it('goes on without a gap after appends that failed', async () => {
    const log = createMemoryAppendLog();
    let failing = false;
    const flaky: AppendLog = {
      ...log,
      append: (records) => (failing ? Promise.reject(new Error('disk full')) : log.append(records)),
    };
    const chain = await openChain(flaky, 'one', surroundings.epochNow);
    await chain.append(entry('refused', 'c1'));
    failing = true;
    const failed = await Promise.allSettled([
      chain.append(entry('refused', 'c2')),
      chain.append(entry('refused', 'c3')),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = false;
    await chain.append(entry('refused', 'c4'));
    expect(await verifyAudit(log)).toMatchObject({ ok: true, records: 2 });
  });
});

describe('the verification', () => {
  it('stays whole however appends fail while others are under way', async () => {
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const plan = fc.array(
      fc.record({ fails: fc.boolean(), turns: fc.nat(3), together: fc.integer({ min: 1, max: 4 }) }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const memory = createMemoryAppendLog();
        const queue: (() => Promise<void>)[] = [];
        let isLocked = false;
        // In order and one at a time, as a real log does it; a lock costs those that wait for it their place.
        const flaky: AppendLog = {
          ...memory,
          append: (records) =>
            new Promise((resolve, reject) => {
              queue.push(() =>
                (isLocked ? Promise.reject(new Error('locked')) : memory.append(records)).then(resolve, reject),
              );
            }),
        };
        const chain = await openChain(flaky, 'one', surroundings.epochNow);
        const appends: Promise<boolean>[] = [];
        for (const { fails, turns, together } of steps) {
          isLocked = fails;
          for (let count = 0; count < together; count += 1) {
            const append = chain.append(entry('refused', `c${appends.length}`));
            appends.push(
              append.then(
                () => true,
                () => false,
              ),
            );
          }
          for (let count = 0; count < turns; count += 1) {
            await turn();
            await queue.shift()?.();
          }
        }
        isLocked = false;
        const ended = Promise.all(appends);
        const isOver = ended.then(() => true);
        while (!(await Promise.race([isOver, turn().then(() => false)]))) await queue.shift()?.();
        const written = (await ended).filter(Boolean).length;
        expect(await verifyAudit(memory)).toMatchObject({ ok: true, records: written });
      }),
      { numRuns: 200, interruptAfterTimeLimit: 4000, markInterruptAsFailure: false },
    );
  });

  it('counts intents, outcomes, refusals and unfinished calls, and says what it cannot tell', async () => {
    const records = await chainOf(
      entry('intent', 'c1'),
      entry('intent', 'c2'),
      entry('outcome', 'c1'),
      entry('refused', 'c3'),
    );
    const report = await verifyAudit(logOf(records));
    expect(report).toMatchObject({
      ok: true,
      intents: 2,
      outcomes: 1,
      refused: 1,
      unfinished: 1,
      unfinishedCalls: ['c2'],
    });
    expect(report.notes.join()).toMatch(/cut from the end.*cannot be detected/);
  });

  it('finds an edited record, the last one too', async () => {
    const records = await chainOf(entry('intent', 'c1'), entry('outcome', 'c1', { isError: true }));
    expect(
      await problemsOf(changed(records, { text: (text) => text.replace('"isError":true', '"isError":false') })),
    ).toEqual(['2: its content does not match its hash']);
  });

  it('finds an edited record whose hash was made anew', async () => {
    const records = await chainOf(entry('refused', 'c1'), entry('refused', 'c2'));
    const forged = sealRecord(entry('refused', 'c9'), { stream: 'one', sequence: 1, time: '', previous: null }).text;
    expect(await problemsOf(records.with(0, { stream: 'one', sequence: 1, text: forged }))).toEqual([
      '2: it does not continue the record before it',
    ]);
  });

  it('finds a hole', async () => {
    const records = await chainOf(entry('refused', 'c1'), entry('refused', 'c2'), entry('refused', 'c3'));
    expect(await problemsOf(records.toSpliced(1, 1))).toEqual([
      '3: the record before it has sequence 1: records are missing or out of order',
    ]);
  });

  it('finds a changed order', async () => {
    const [first, second] = await chainOf(entry('refused', 'c1'), entry('refused', 'c2'));
    if (first === undefined || second === undefined) throw new Error('two records were written');
    expect(await problemsOf([second, first])).toHaveLength(2);
  });

  it('finds a record that was moved to another stream or sequence', async () => {
    const records = await chainOf(entry('refused', 'c1'));
    expect(await problemsOf(changed(records, { stream: () => 'two' }))).toEqual([
      '1: it belongs to another place in the audit',
    ]);
  });

  it.each([
    ['not json', '1: it is not JSON'],
    ['{}', '1: it is not an audit record of version 1'],
    ['[]', '1: it is not an audit record of version 1'],
  ])('finds %s in place of a record', async (text, problem) => {
    expect(await problemsOf([{ stream: 'one', sequence: 1, text }])).toEqual([problem]);
  });

  it('finds a record that is not in canonical form', async () => {
    const records = await chainOf(entry('refused', 'c1'));
    expect(await problemsOf(changed(records, { text: (text) => ` ${text}` }))).toEqual([
      '1: it is not in canonical form',
    ]);
  });

  it.each([
    [[entry('outcome', 'c1')], '1: an outcome without an intent before it'],
    [
      [entry('intent', 'c1'), entry('outcome', 'c1'), entry('outcome', 'c1')],
      '3: an outcome without an intent before it',
    ],
    [[entry('intent', 'c1'), entry('intent', 'c1')], '2: the call has an intent already'],
    [[entry('intent', 'c1'), entry('refused', 'c1')], '2: the call has an intent and is refused'],
  ])('finds calls whose records do not fit: %#', async (entries, problem) => {
    expect(await problemsOf(await chainOf(...entries))).toEqual([problem]);
  });

  it('finds any single changed, removed or repeated record but a cut tail', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('refused', 'call'), { minLength: 2, maxLength: 6 }),
        fc.nat(),
        fc.constantFrom('remove', 'repeat', 'change'),
        async (calls, pick, change) => {
          const entries = calls.flatMap((call, index) =>
            call === 'call'
              ? [entry('intent', `c${index}`), entry('outcome', `c${index}`)]
              : [entry('refused', `c${index}`)],
          );
          const records = await chainOf(...entries);
          const at = pick % (records.length - 1);
          const record = records[at];
          if (record === undefined) throw new Error('the index is in range');
          const edited = { ...record, text: record.text.replace('"agent":"reader"', '"agent":"writer"') };
          const replacement = { remove: [], repeat: [record, record], change: [edited] }[change];
          return (await problemsOf(records.toSpliced(at, 1, ...replacement))).length > 0;
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a record', () => {
  it('reads back what was sealed', () => {
    const position = { stream: 's', sequence: 1, time: 't', previous: null };
    const { record, text } = sealRecord(entry('refused', 'c1', { reason: 'denied' }), position);
    expect(openRecord(text)).toEqual({ record });
  });

  it('is written in canonical JSON, big integers digit for digit', () => {
    expect(canonicalJson({ b: [1, { d: 2n ** 64n, c: 'ä' }], a: 1e2, z: undefined })).toBe(
      '{"a":100,"b":[1,{"c":"ä","d":18446744073709551616}]}',
    );
    expect(canonicalJson({ ﬀ: 1n, '😀': 2, a: 3 })).toBe('{"a":3,"😀":2,"ﬀ":1}');
  });
});

describe('redacted arguments', () => {
  it('hold names that the definition declares, types and sizes, and nothing that the caller wrote', () => {
    const args = { id: 'A-104', note: null, big: 2n ** 64n, ratio: 0.5, list: [1, 2], 'mira@example.com': true };
    const redacted = redactArguments(args, new Set(['id', 'note', 'big', 'ratio', 'list', 'absent']));
    expect(redacted).toEqual({
      declared: {
        id: { type: 'string', size: 5 },
        note: { type: 'null' },
        big: { type: 'integer' },
        ratio: { type: 'number' },
        list: { type: 'array', size: 2 },
      },
      others: 1,
    });
    expect(JSON.stringify(redacted)).not.toMatch(/A-104|mira/);
  });
});

describe('an audit in a file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-audit-'));
    path = join(folder, 'state', 'audit.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const location = () => ({ path, durability: 'process' }) as const;

  it('is read and verified by another opening, and each opening writes its own stream', async () => {
    for (const callId of ['c1', 'c2']) {
      const audit = await openAuditLog(location(), surroundings);
      await audit.append(entry('intent', callId));
      await audit.append(entry('outcome', callId, { resultBytes: 5 }));
      await audit.close();
    }
    const audit = await openAudit(path);
    expect(await audit.verify()).toMatchObject({ ok: true, streams: 2, intents: 2, outcomes: 2, unfinished: 0 });
    expect((await audit.list({ kind: 'outcome', limit: 1 })).map(({ callId }) => callId)).toEqual(['c2']);
    expect(await audit.list({ callId: 'c1' })).toHaveLength(2);
    expect(await audit.list({ limit: 0 })).toEqual([]);
    await audit.close();
  });

  it('is listed from its end: the newest records, in order, without reading the older ones', async () => {
    const log = createMemoryAppendLog();
    const chain = await openChain(log, 'one', surroundings.epochNow);
    for (let call = 1; call <= 50; call += 1)
      await chain.append(entry('refused', `c${call}`, { server: `s${call % 2}` }));
    let read = 0;
    const counted: AppendLog = {
      ...log,
      async *read(options) {
        for await (const record of log.read(options)) {
          read += 1;
          yield record;
        }
        return undefined;
      },
    };
    const audit = createAudit(counted);
    const callIds = async (query: AuditQuery) => (await audit.list(query)).map(({ callId }) => callId);
    expect(await callIds({ limit: 3 })).toEqual(['c48', 'c49', 'c50']);
    expect(read).toBe(3);
    expect(await callIds({ limit: 2, server: 's1' })).toEqual(['c47', 'c49']);
    expect(read).toBe(7);
    expect(await callIds({ limit: 0 })).toEqual([]);
    expect(read).toBe(7);
    expect(await callIds({ callId: 'c1' })).toEqual(['c1']);
    expect(await callIds({})).toHaveLength(50);
  });

  it('finds what was edited in the database', async () => {
    const audit = await openAuditLog(location(), surroundings);
    await audit.append(entry('refused', 'c1', { reason: 'denied' }));
    await audit.append(entry('refused', 'c2', { reason: 'denied' }));
    await audit.close();
    const database = new DatabaseSync(path);
    database.exec('DROP TRIGGER record_is_final');
    database.exec(`UPDATE record SET text = replace(text, '"reader"', '"writer"') WHERE sequence = 1`);
    database.close();
    const opened = await openAudit(path);
    expect(await opened.verify()).toMatchObject({ ok: false, problemCount: 1 });
    await opened.close();
  });

  it('keeps the key of its digests in a file of its owner only, and the same key on the next opening', async () => {
    const first = await openAuditLog(location(), surroundings);
    const digest = first.digest('{"a":1}');
    await first.close();
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(`${path}.key`)).mode & 0o777).toBe(0o600);
    const second = await openAuditLog(location(), surroundings);
    expect(second.digest('{"a":1}')).toBe(digest);
    await second.close();
  });

  it('gives several openings at once the same key', async () => {
    const keyPath = join(folder, 'key');
    const keys = await Promise.all(Array.from({ length: 8 }, () => openArgumentKey(keyPath, randomBytes)));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex')))).toHaveLength(1);
    expect((await readFile(keyPath, 'utf8')).trim()).toBe(Buffer.from(keys[0] ?? []).toString('hex'));
  });

  it('refuses a key file that others can read or that holds no key', async () => {
    const keyPath = join(folder, 'key');
    await writeFile(keyPath, 'short', { mode: 0o600 });
    await expect(openArgumentKey(keyPath, randomBytes)).rejects.toMatchObject({ code: 'audit' });
    await chmod(keyPath, 0o644);
    await expect(openArgumentKey(keyPath, randomBytes)).rejects.toThrow(/0600/);
  });

  it('is not made by looking for it', async () => {
    await expect(openAudit(path)).rejects.toMatchObject({ name: 'HostError', code: 'audit' });
    await expect(stat(path)).rejects.toThrow(/ENOENT/);
  });
});
