import { randomBytes } from 'node:crypto';
import { redactSecrets } from '@switchyard/guards';
import type { JsonObject } from '@switchyard/protocol';
import {
  type Conversation,
  createConversation,
  openWire,
  renderTranscript,
  runChecks,
  toJunit,
  toTranscript,
  UnlistedToolError,
  type WireTarget,
} from '@switchyard/testing';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { parseObject } from '../arguments/parse-pairs.ts';
import { compareFiles } from '../check/compare-files.ts';
import { writeTextFile } from '../check/files.ts';
import { readWireTarget, type WireFlags } from '../check/wire-target.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { reportDocument, showReport } from '../present/show-checks.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** The options of `check`. */
export interface CheckFlags extends WireFlags {
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
  if (flags.compare === true) return compareFiles(target, other, flags.explain, surroundings, terminal);
  if (flags.explain !== undefined) throw usageFailure('--explain belongs to --compare.');
  if (other !== undefined) {
    throw usageFailure(
      `${JSON.stringify(other)} is one word too many: put a command in quotes, and arguments of a tool into --args.`,
    );
  }
  const calls = readCalls(flags);
  const server = await readWireTarget(target, flags, surroundings, terminal);
  const started = withStateKeys(server);
  const conversation = converse(started.server, flags, surroundings);
  let isTelling = flags.verbose === true;
  try {
    const report = await runChecks(conversation, {
      ...calls,
      ...started.calls,
      ...(flags.only === undefined ? {} : { only: flags.only }),
      onCheck: ({ number, title }) => terminal.progress(`${number} of 10: ${title}`),
    });
    if (flags.junit !== undefined) await writeTextFile(flags.junit, surroundings.cwd, toJunit(report));
    if (flags.transcript !== undefined) {
      await writeTextFile(
        flags.transcript,
        surroundings.cwd,
        renderTranscript(toTranscript(conversation, report.server)),
      );
    }
    warnOfStray(conversation, terminal);
    const probes = report.checks.flatMap((check) => check.probes);
    const isShort =
      flags.strict === true && probes.some(({ verdict, isForeign }) => verdict === 'skipped' && isForeign !== true);
    const hasFailed = isShort || report.checks.some(({ verdict }) => verdict === 'failed');
    const showing = { ...flags, transport: conversation.transport };
    terminal.result(reportDocument(report, showing), () => showReport(report, showing, terminal));
    if (isShort) terminal.note('With --strict, what could not be applied counts as failed.');
    return hasFailed ? exitCodes.toolError : exitCodes.success;
  } catch (error) {
    if (error instanceof UnlistedToolError) throw unlisted(error, flags.tool ?? '');
    isTelling = true;
    throw error;
  } finally {
    const words = await lastWords(conversation);
    await conversation.close();
    if (isTelling) terminal.quote('The server wrote to stderr:', words);
  }
}

const STATE_KEYS = 'SWITCHYARD_STATE_KEYS';

/**
 * Instances behind one address share their keys, and a server of ours that has none makes one for its process alone: both processes get the
 * same new one unless they have one anyhow.
 */
function withStateKeys(server: WireTarget): {
  readonly server: WireTarget;
  readonly calls: { readonly sharedVariable?: string };
} {
  if ('url' in server || server.env?.[STATE_KEYS] !== undefined) return { server, calls: {} };
  const key = randomBytes(32).toString('base64url');
  return { server: { ...server, env: { ...server.env, [STATE_KEYS]: key } }, calls: { sharedVariable: STATE_KEYS } };
}

function unlisted({ message, listed }: UnlistedToolError, asked: string): Failure {
  return new Failure('unknown', `--tool: ${message}.${didYouMean(asked, listed)}`);
}

function readCalls({ tool, args, answers, callTools }: CheckFlags): Parameters<typeof runChecks>[1] {
  if (args !== undefined && tool === undefined) throw usageFailure('--args needs --tool.');
  return {
    ...(tool === undefined
      ? {}
      : { tool: { name: tool, arguments: args === undefined ? {} : parseObject('--args', args) } }),
    ...(answers === undefined
      ? {}
      : { answers: parseObject('--answers', answers) as { readonly [key: string]: JsonObject } }),
    callTools: callTools === true,
  };
}

function converse(server: WireTarget, { instance, timeout }: CheckFlags, { signal }: Surroundings): Conversation {
  const limits = timeout === undefined ? {} : { timeoutMs: timeout };
  if (!('url' in server)) {
    if (instance !== undefined) throw usageFailure('--instance is for a URL; a command is started a second time.');
    return createConversation({
      transport: 'stdio',
      instances: Infinity,
      open: () => openWire(server, limits),
      signal,
    });
  }
  if (instance !== undefined && !/^https?:\/\//i.test(instance)) throw usageFailure('--instance must be a URL.');
  const urls = [server.url, ...(instance === undefined ? [] : [instance])];
  const open = (number: number): ReturnType<typeof openWire> =>
    openWire({ ...server, url: urls[number - 1] ?? server.url }, limits);
  return createConversation({ transport: 'http', instances: urls.length, open, signal });
}

/** Standard output of a server belongs to the protocol: a client that is less patient ends there. */
function warnOfStray({ transport, exchanges }: Conversation, terminal: Terminal): void {
  const stray = transport === 'http' ? [] : exchanges.flatMap((exchange) => exchange.stray);
  const [first] = stray;
  if (first === undefined) return;
  const more = stray.length === 1 ? '' : ` and ${stray.length - 1} more`;
  terminal.warn(
    `The server writes lines to standard output that are no messages: ${JSON.stringify(redactSecrets(first))}${more}.`,
  );
}

/** What the first process wrote; of one that did not start there is nothing. */
async function lastWords(conversation: Conversation): Promise<readonly string[]> {
  if (conversation.transport === 'http') return [];
  return conversation.wire(1).then(
    (wire) => wire.lastWords(),
    () => [],
  );
}
