import { randomBytes } from 'node:crypto';
import { redactedExcerpt } from '@switchyard/guards';
import {
  type CheckCallOptions,
  type ChecksReport,
  createRawClient,
  openRawConnection,
  type RawClient,
  type RawConnectionTarget,
  renderTranscript,
  runChecks,
  toJunit,
  toTranscript,
  UnlistedToolError,
} from '@switchyard/testing';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { parseObject } from '../arguments/parse-pairs.ts';
import { parseAnswers } from '../ask/parse-answers.ts';
import { describeUnasked } from '../check/answers.ts';
import { type CheckTargetFlags, readCheckTarget } from '../check/check-target.ts';
import { createKnownSecretsMask, maskExchange, maskReport } from '../check/known-secrets.ts';
import { strictReport } from '../check/strict-report.ts';
import { compareFiles } from '../check/compare-files.ts';
import { assertWritable, writeTextFile } from '../check/files.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { reportDocument, showReport } from '../present/show-checks.ts';
import type { Surroundings } from '../surroundings.ts';
import { cleanLine, type Terminal } from '../terminal.ts';

/** The options of `check`. */
export interface CheckFlags extends CheckTargetFlags {
  readonly tool?: string;
  readonly args?: string;
  readonly answers?: string;
  readonly callTools?: boolean;
  readonly instance?: string;
  readonly only?: readonly number[];
  readonly strict?: boolean;
  readonly timeout?: number;
  readonly junit?: string;
  readonly transcript?: string;
  readonly compare?: boolean;
  readonly explain?: string;
  readonly verbose?: boolean;
}

/** `switchyard check TARGET`: runs the boundary checks; `switchyard check --compare A B`: compares two transcripts. */
export async function check(
  target: string | undefined,
  other: string | undefined,
  flags: CheckFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  if (flags.compare === true) {
    assertComparing(flags);
    return compareFiles(target, other, flags.explain, surroundings, terminal);
  }
  if (flags.explain !== undefined) throw usageFailure('--explain belongs to --compare.');
  if (other !== undefined) {
    throw usageFailure(
      `${JSON.stringify(other)} is one word too many: put a command in quotes, and arguments of a tool into --args.`,
    );
  }
  const calls = await readCalls(flags, surroundings.cwd);
  for (const file of [flags.junit, flags.transcript]) {
    if (file !== undefined) await assertWritable(file, surroundings.cwd);
  }
  const server = await readCheckTarget(target, flags, surroundings, terminal);
  const started = withStateKeys(server);
  const client = createCheckClient(started.server, flags, surroundings);
  const mask = createKnownSecretsMask(started.server, flags.instance);
  let isTelling = flags.verbose === true;
  try {
    const found = await runChecks(client, {
      ...calls,
      ...started.calls,
      ...(flags.only === undefined ? {} : { only: flags.only }),
      onCheck: ({ number, title }) => terminal.progress(`${number} of 10: ${title}`),
    });
    // What was asked for before it was given up is no report of the server, and replaces none.
    surroundings.signal.throwIfAborted();
    const masked = maskReport(found, mask);
    const report = flags.strict === true ? strictReport(masked) : masked;
    const exchanges = client.exchanges.map((exchange) => maskExchange(exchange, mask));
    const unwritten = await writeFiles(flags, surroundings, {
      junit: () => toJunit(report),
      transcript: () => renderTranscript(toTranscript({ transport: client.transport, exchanges }, report.server)),
    });
    warnOfStray({ transport: client.transport, exchanges }, terminal);
    const countFailed = ({ checks }: ChecksReport): number =>
      checks.filter((check) => check.verdict === 'failed').length;
    const isShort = countFailed(report) > countFailed(masked);
    const showing = { ...flags, transport: client.transport };
    terminal.result(reportDocument(report, showing), () => showReport(report, showing, terminal));
    if (isShort) terminal.note('With --strict, what could not be applied counts as failed.');
    const unasked = calls.answers === undefined ? undefined : describeUnasked(calls.answers, client);
    for (const message of [...unwritten.map((failure) => failure.message), ...(unasked === undefined ? [] : [unasked])])
      terminal.warn(message);
    if (unwritten.length > 0 || unasked !== undefined) return exitCodes.failure;
    return countFailed(report) > 0 ? exitCodes.toolError : exitCodes.success;
  } catch (error) {
    if (error instanceof UnlistedToolError) throw unlisted(error, flags.tool ?? '');
    isTelling = true;
    throw error;
  } finally {
    const words = await lastWords(client);
    await client.close();
    if (isTelling)
      terminal.quote(
        'The server wrote to stderr:',
        words.map((word) => mask(cleanLine(word))),
      );
  }
}

/** Writes the files that are asked for. Answers what could not be written: the report is shown all the same. */
async function writeFiles(
  flags: CheckFlags,
  { cwd }: Surroundings,
  texts: { readonly [flag in 'junit' | 'transcript']: () => string },
): Promise<readonly Failure[]> {
  const unwritten: Failure[] = [];
  for (const flag of ['junit', 'transcript'] as const) {
    const file = flags[flag];
    try {
      if (file !== undefined) await writeTextFile(file, cwd, texts[flag]());
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unwritten.push(error);
    }
  }
  return unwritten;
}

function assertComparing({ compare: _compare, explain: _explain, ...others }: CheckFlags): void {
  const other = Object.keys(others).find((name) => name !== 'json');
  if (other === undefined) return;
  const option = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw usageFailure(`--${option} is for a server, and --compare asks none: leave one out.`);
}

const STATE_KEYS = 'SWITCHYARD_STATE_KEYS';

/**
 * Instances behind one address share their keys, and a server of ours that has none makes one for its process alone:
 * both processes get the same new one unless they have one anyhow.
 */
function withStateKeys(server: RawConnectionTarget): {
  readonly server: RawConnectionTarget;
  readonly calls: { readonly sharedVariable?: string };
} {
  if ('url' in server || server.env?.[STATE_KEYS] !== undefined) return { server, calls: {} };
  const key = randomBytes(32).toString('base64url');
  return { server: { ...server, env: { ...server.env, [STATE_KEYS]: key } }, calls: { sharedVariable: STATE_KEYS } };
}

function unlisted({ message, listed }: UnlistedToolError, asked: string): Failure {
  return new Failure('unknown', `--tool: ${message}.${didYouMean(asked, listed)}`);
}

async function readCalls({ tool, args, answers, callTools }: CheckFlags, cwd: string): Promise<CheckCallOptions> {
  if (args !== undefined && tool === undefined) throw usageFailure('--args needs --tool.');
  return {
    ...(tool === undefined
      ? {}
      : { tool: { name: tool, arguments: args === undefined ? {} : parseObject('--args', args) } }),
    ...(answers === undefined ? {} : { answers: await parseAnswers(answers, cwd) }),
    callTools: callTools === true,
  };
}

function createCheckClient(
  server: RawConnectionTarget,
  { instance, timeout }: CheckFlags,
  { signal }: Surroundings,
): RawClient {
  const limits = timeout === undefined ? {} : { timeoutMs: timeout };
  if (!('url' in server)) {
    if (instance !== undefined) throw usageFailure('--instance is for a URL; a command is started a second time.');
    return createRawClient({
      transport: 'stdio',
      instances: Infinity,
      open: () => openRawConnection(server, limits),
      signal,
    });
  }
  if (instance !== undefined && !/^https?:\/\//i.test(instance)) throw usageFailure('--instance must be a URL.');
  const urls = [server.url, ...(instance === undefined ? [] : [instance])];
  const open = (number: number): ReturnType<typeof openRawConnection> =>
    openRawConnection({ ...server, url: urls[number - 1] ?? server.url }, limits);
  return createRawClient({ transport: 'http', instances: urls.length, open, signal });
}

const MAX_STRAY_CHARS = 200;

/** Standard output of a server belongs to the protocol: a client that is less patient ends there. */
function warnOfStray({ transport, exchanges }: Pick<RawClient, 'transport' | 'exchanges'>, terminal: Terminal): void {
  const stray = transport === 'http' ? [] : exchanges.flatMap((exchange) => exchange.stray);
  const [first] = stray;
  if (first === undefined) return;
  const more = stray.length === 1 ? '' : ` and ${stray.length - 1} more`;
  terminal.warn(
    `The server writes lines to standard output that are no messages: ${JSON.stringify(redactedExcerpt(first, MAX_STRAY_CHARS))}${more}.`,
  );
}

/** What the first process wrote; of one that did not start there is nothing. */
async function lastWords(client: RawClient): Promise<readonly string[]> {
  if (client.transport === 'http') return [];
  return client.connection(1).then(
    (connection) => connection.lastWords(),
    () => [],
  );
}
