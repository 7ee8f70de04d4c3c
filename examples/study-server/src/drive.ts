import { readFile, writeFile } from 'node:fs/promises';
import { argv, exit } from 'node:process';
import { parseArgs } from 'node:util';

import {
  compareTranscripts,
  errorOf,
  explainDifferences,
  type ExplainedDifferences,
  readExplanations,
  renderTranscript,
  resultOf,
} from '@switchyard/testing';
import { parse } from 'yaml';

import { readStudyPlan, runStudyPlan, transcriptOf, withOfficialSdk } from './plan.ts';

/*
 * Drives the study server: two instances over HTTP, one store, one key.
 *
 *   npm run example:study                           has the conversation of plan.yaml and says what came
 *   npm run example:study -- --compare              has it with the server on the official SDK as well, and explains each difference
 *   npm run example:study -- --transcript FILE      keeps the transcript
 */
const { compare, transcript: file } = parseArgs({
  args: argv.slice(2),
  options: { compare: { type: 'boolean', default: false }, transcript: { type: 'string' } },
}).values;

const plan = await readStudyPlan();
const ran = await runStudyPlan(plan);
const transcript = transcriptOf(plan, ran);
if (file !== undefined) await writeFile(file, renderTranscript(transcript));

if (compare) {
  const official = withOfficialSdk(plan);
  const other = transcriptOf(official, await runStudyPlan(official));
  const explanations = readExplanations(parse(await readFile(new URL('../differences.yaml', import.meta.url), 'utf8')));
  exit(report(explainDifferences(compareTranscripts(transcript, other), explanations)));
}

for (const { step, exchanges } of ran) {
  const last = exchanges.at(-1);
  const error = last === undefined ? undefined : errorOf(last);
  const isToolError = last !== undefined && resultOf(last)?.['isError'] === true;
  const outcome = error === undefined ? (isToolError ? 'tool error' : 'complete') : `error ${String(error['code'])}`;
  const way = exchanges.map(({ instance }) => instance).join(' → ');
  console.log(`${outcome.padEnd(13)} ${step.label} (instance ${way})`);
}

/**
 * Prints each explanation with what it explains, and answers the exit code: 1 for a difference without one, or the
 * other way round.
 */
function report({ explained, unexplained, unused }: ExplainedDifferences): number {
  for (const [because, differences] of Map.groupBy(explained, (one) => one.because)) {
    console.log(`explained    ${because}`);
    const paths = Map.groupBy(differences, ({ difference }) => difference.path);
    for (const [path, at] of paths) console.log(`             ${path} (${at.length})`);
  }
  for (const { label, path, kind, before, after } of unexplained)
    console.log(`UNEXPLAINED  ${label}: ${path} ${kind}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`);
  for (const { path, because } of unused) console.log(`VANISHED     ${path}: ${because}`);
  console.log(
    `${explained.length} differences explained, ${unexplained.length} not, ${unused.length} explanations without a difference`,
  );
  return unexplained.length + unused.length > 0 ? 1 : 0;
}
