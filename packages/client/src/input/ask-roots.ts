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
    handler: 'roots',
    tellsDeclined: false,
    async call(ask) {
      if (typeof roots === 'function') {
        const answer = await roots.call(handlers, ask);
        return 'action' in answer ? answer : { roots: answer };
      }
      return { roots: 'list' in roots ? await roots.list(ask) : roots };
    },
    check,
  };
}

function check(answer: unknown): ReturnType<Question['check']> {
  const shape: Shape<unknown> = inputKinds['roots/list'].result;
  const reading = readAs(shape as Shape<ListRootsResult>, answer);
  if ('misfit' in reading) return { problem: `is no list of roots: ${describeMisfit('it', reading.misfit)}` };
  const roots: Root[] = [];
  for (const given of reading.value.roots) {
    const checked = canonicalRoot(given);
    if ('problem' in checked) return { problem: `has the root ${quoted(given.uri)}, which ${checked.problem}` };
    const { uri, name, _meta } = checked.root;
    roots.push({
      uri,
      ...(name === undefined ? {} : { name }),
      ...(isJsonObject(_meta) ? { _meta } : {}),
    });
  }
  return { bare: { roots }, shown: { roots } };
}
