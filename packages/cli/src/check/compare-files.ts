import {
  compareTranscripts,
  explainDifferences,
  parseTranscript,
  readExplanations,
  type Transcript,
} from '@switchyard/testing';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { showDifferences } from '../present/show-differences.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { aboutFile, readDataFile, readTextFile } from './files.ts';

/**
 * Compares two transcripts, with a file of explanations where there is one. Exit 1: a difference without a reason, or
 * the other way round.
 */
export async function compareFiles(
  before: string | undefined,
  after: string | undefined,
  explain: string | undefined,
  { cwd }: Pick<Surroundings, 'cwd'>,
  terminal: Terminal,
): Promise<number> {
  if (before === undefined || after === undefined)
    throw usageFailure('--compare needs two transcripts: check --compare A B');
  const [left, right] = [await readTranscript(before, cwd), await readTranscript(after, cwd)];
  const explanations = explain === undefined ? [] : await readExplanationFile(explain, cwd);
  const found = explainDifferences(compareTranscripts(left, right), explanations);
  terminal.result(found, () => showDifferences(found));
  return found.unexplained.length + found.unused.length > 0 ? exitCodes.toolError : exitCodes.success;
}

async function readTranscript(file: string, cwd: string): Promise<Transcript> {
  const text = await readTextFile(file, cwd);
  const transcript = aboutFile(file, () => parseTranscript(text));
  if (transcript.entries.length === 0)
    throw new Failure('file', `${file} holds no exchange, so there is nothing to compare.`);
  return transcript;
}

async function readExplanationFile(file: string, cwd: string): Promise<ReturnType<typeof readExplanations>> {
  const value = await readDataFile(file, cwd);
  return aboutFile(file, () => readExplanations(value));
}
