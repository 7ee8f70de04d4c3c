import { isJsonObject } from '@switchyard/protocol';

import type { TranscriptDifference } from './compare-transcripts.ts';
import { TranscriptError } from './transcript.ts';

/** Why a difference is known and right. `*` in a pattern stands for any characters. */
export interface DifferenceExplanation {
  /** A pattern of the difference's path. */
  readonly path: string;
  /** A pattern of the exchange's label. Default: any. */
  readonly label?: string;
  /** The reason, in a sentence. */
  readonly because: string;
}

/** Differences and what is known of them. */
export interface ExplainedDifferences {
  readonly unexplained: readonly TranscriptDifference[];
  readonly explained: readonly { readonly difference: TranscriptDifference; readonly because: string }[];
  /** Explanations of differences that are not there. */
  readonly unused: readonly DifferenceExplanation[];
}

/** Answers which differences are explained; the first explanation that fits counts. */
export function explainDifferences(
  differences: readonly TranscriptDifference[],
  explanations: readonly DifferenceExplanation[],
): ExplainedDifferences {
  const used = new Set<DifferenceExplanation>();
  const unexplained: TranscriptDifference[] = [];
  const explained: { readonly difference: TranscriptDifference; readonly because: string }[] = [];
  for (const difference of differences) {
    const explanation = explanations.find(
      ({ path, label = '*' }) => fits(path, difference.path) && fits(label, difference.label),
    );
    if (explanation === undefined) unexplained.push(difference);
    else {
      used.add(explanation);
      explained.push({ difference, because: explanation.because });
    }
  }
  return { unexplained, explained, unused: explanations.filter((explanation) => !used.has(explanation)) };
}

/**
 * Reads explanations from a parsed file: a list of objects with `path`, `because` and perhaps `label`. Throws a
 * TranscriptError that names the entry and what it lacks.
 */
export function readExplanations(value: unknown): readonly DifferenceExplanation[] {
  if (!Array.isArray(value))
    throw new TranscriptError('expected a list of explanations, each with "path" and "because"');
  return (value as unknown[]).map((entry, index) => readExplanation(`explanation ${index + 1}`, entry));
}

function readExplanation(where: string, entry: unknown): DifferenceExplanation {
  if (!isJsonObject(entry)) throw new TranscriptError(`${where} is no object with "path" and "because"`);
  const { path, label, because, ...rest } = entry;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new TranscriptError(`${where} has "${unknown}"; it may have path, label and because`);
  if (typeof path !== 'string' || path === '')
    throw new TranscriptError(`${where} has no "path", a pattern such as response.error.message`);
  if (typeof because !== 'string' || because.trim() === '')
    throw new TranscriptError(`${where} has no "because", the reason in a sentence`);
  if (label !== undefined && typeof label !== 'string') throw new TranscriptError(`the label of ${where} is no text`);
  return { path, because, ...(label === undefined ? {} : { label }) };
}

/** Matches greedily part by part, in time proportional to the text. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
