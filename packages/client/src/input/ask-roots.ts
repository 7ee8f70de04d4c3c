import {
  describeMisfit,
  inputKinds,
  isJsonObject,
  type ListRootsResult,
  type Root,
  type Shape,
} from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import { readAs } from '../peer/read-as.ts';
import type { RootsAsk } from './ask.ts';
import { canonicalRoot } from './canonical-root.ts';
import type { Outcome } from './outcome.ts';
import { misshapen, noHandler, type Question, type QuestionSource } from './question.ts';

/** Prepares a question for the roots. Spec: client/roots (2026-07-28). */
export function askRoots(source: QuestionSource): Question<RootsAsk> | Outcome {
  const { handlers, base } = source;
  const { roots } = handlers;
  if (roots === undefined) return noHandler(source, 'roots');
  const misfit = misshapen(source);
  if (misfit !== undefined) return misfit;
  return {
    ask: { ...base, kind: 'roots' },
    handler: 'list' in roots ? 'roots.list' : 'roots',
    tellsDeclined: false,
    async call(ask) {
      if (typeof roots !== 'function') return { roots: 'list' in roots ? await roots.list(ask) : roots };
      // Whatever the types say: what a handler answers is checked below, where the error names it.
      const answer: unknown = await roots.call(handlers, ask);
      return isJsonObject(answer) && 'action' in answer ? answer : { roots: answer };
    },
    check,
  };
}

function check(answer: unknown): ReturnType<Question['check']> {
  const given = isJsonObject(answer) ? answer['roots'] : undefined;
  if (!Array.isArray(given)) {
    const expected = 'where an array of roots is expected, such as [{ uri: "file:///srv/a" }]';
    return { problem: `has ${kindOf(given)} ${expected}` };
  }
  const shape: Shape<unknown> = inputKinds['roots/list'].result;
  const reading = readAs(shape as Shape<ListRootsResult>, answer);
  if ('misfit' in reading) return { problem: `is no list of roots: ${describeMisfit('it', reading.misfit)}` };
  const roots: Root[] = [];
  for (const root of reading.value.roots) {
    const checked = canonicalRoot(root);
    if ('problem' in checked) return { problem: `has the root ${quoted(root.uri)}, which ${checked.problem}` };
    const { uri, name, _meta } = checked.root;
    roots.push({
      uri,
      ...(name === undefined ? {} : { name }),
      ...(isJsonObject(_meta) ? { _meta } : {}),
    });
  }
  return { bare: { roots }, shown: { roots } };
}

/** What stands in place of an array, as JSON has it. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
