import { redactSecrets } from '@switchyard/guards';
import { stringifyJson } from '@switchyard/protocol';
import { type CheckResult, type ChecksReport, type Probe, toTranscript } from '@switchyard/testing';
import { cleanLine, type Style, type Terminal } from '../terminal.ts';
import { alignColumns } from './columns.ts';

/** How much of a report is shown. */
export interface CheckShowing {
  /** With the messages of what failed. */
  readonly verbose?: boolean;
  /** Whether what could not be applied has counted as failed. */
  readonly strict?: boolean;
  readonly transport: 'http' | 'stdio';
}

const MAX_EVIDENCE_CHARS = 400;
const MAX_MESSAGE_CHARS = 4_000;
const MAX_NAME_CHARS = 80;
/** The checks that need a tool which asks for input, one of them on two instances. */
const ROUNDS = new Set([6, 7, 8]);
const HINT = '--tool NAME calls a tool that asks for input, --instance URL reaches another instance.';
const INDENT = ' '.repeat(13);

const styles: { readonly [verdict in CheckResult['verdict']]: Style } = {
  passed: 'green',
  failed: 'red',
  skipped: 'yellow',
};

/**
 * Answers the report as one JSON document: every probe, and with `verbose` the cleaned messages of those that failed.
 */
export function reportDocument({ server, transport, checks }: ChecksReport, showing: CheckShowing): object {
  return {
    ...(server === undefined ? {} : { server }),
    transport,
    ...(showing.strict === true ? { strict: true } : {}),
    summary: countsOf(checks),
    checks: checks.map(({ probes, evidence, ...check }) => ({
      ...check,
      evidence: redactSecrets(evidence),
      probes: probes.map(({ exchange: _exchange, ...probe }) => ({
        ...probe,
        evidence: redactSecrets(probe.evidence),
        ...messagesOf({ ...probe, ...(_exchange === undefined ? {} : { exchange: _exchange }) }, showing),
      })),
    })),
  };
}

/** Answers the report as a table for a person: verdict, what was seen, what the specification asks and where. */
export function showReport(report: ChecksReport, showing: CheckShowing, terminal: Pick<Terminal, 'style'>): string {
  const { server, transport, checks } = report;
  const name = [server?.['name'], server?.['version']].filter((part) => typeof part === 'string').join(' ');
  const rows = alignColumns(checks.map(({ number, verdict, title }) => [String(number).padStart(2), verdict, title]));
  const sections = checks.map((check, index) => {
    const { verdict, evidence, asks, spec, probes } = check;
    const head = (rows[index] ?? '').replace(verdict, terminal.style(styles[verdict], verdict));
    const notes = probes
      .filter((probe) => probe.verdict === 'advised')
      .map((probe) => `${INDENT}note: ${clean(`${probe.what}: ${probe.evidence}`)}`);
    const others = verdict === 'failed' ? probes.filter((probe) => probe.verdict === 'failed').slice(1) : [];
    return [
      head,
      `${INDENT}${clean(evidence)}`,
      ...others.map((probe) => `${INDENT}also: ${clean(`${probe.what}: ${probe.evidence}`)}`),
      ...notes,
      terminal.style('dim', `${INDENT}asked: ${asks}`),
      terminal.style('dim', `${INDENT}see:   ${spec.join(', ')}`),
      ...(showing.verbose === true ? probes.flatMap((probe) => showMessages(probe, showing)) : []),
    ].join('\n');
  });
  const { passed, failed, skipped } = countsOf(checks);
  const title = `${name === '' ? 'The server' : cleanLine(name, MAX_NAME_CHARS)} over ${transport === 'http' ? 'HTTP' : 'stdio'}`;
  const hasNoRounds = checks.some(
    ({ number, probes }) => ROUNDS.has(number) && probes.every(({ verdict }) => verdict === 'skipped'),
  );
  return [
    terminal.style('bold', title),
    ...sections,
    ...(hasNoRounds ? [HINT] : []),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ].join('\n\n');
}

function countsOf(checks: readonly CheckResult[]): { readonly [verdict in CheckResult['verdict']]: number } {
  const count = (wanted: string): number => checks.filter(({ verdict }) => verdict === wanted).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

function messagesOf(probe: Probe, { verbose, transport }: CheckShowing): object {
  if (verbose !== true || probe.verdict !== 'failed' || probe.exchange === undefined) return {};
  const [entry] = toTranscript({ transport, exchanges: [probe.exchange] }).entries;
  return entry === undefined ? {} : { exchange: entry };
}

function showMessages(probe: Probe, showing: CheckShowing): readonly string[] {
  const messages = messagesOf(probe, showing);
  if (!('exchange' in messages)) return [];
  const { sent, received } = messages.exchange as { readonly sent: object; readonly received: object };
  const lines = [`sent: ${stringifyJson(sent)}`, `received: ${stringifyJson(received)}`];
  return [`${INDENT}${clean(probe.what)}:`, ...lines.map((line) => `${INDENT}  ${cleanLine(line, MAX_MESSAGE_CHARS)}`)];
}

function clean(text: string): string {
  return cleanLine(redactSecrets(text), MAX_EVIDENCE_CHARS);
}
