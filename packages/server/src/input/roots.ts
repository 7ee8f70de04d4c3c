import type { ListRootsResult, Root } from '@switchyard/protocol';

import type { Question } from './question.ts';

const question: Question<readonly Root[]> = {
  request: { method: 'roots/list', params: {} },
  lacks: ({ roots }) => (roots === undefined ? { roots: {} } : undefined),
  read(answer) {
    const { roots } = answer as object as ListRootsResult;
    const foreign = roots.findIndex(({ uri }) => !/^file:\/\//i.test(uri) || !URL.canParse(uri));
    return foreign < 0 ? { value: roots } : { problem: `roots[${foreign}].uri must be a file: URI` };
  },
};

/** The question for the folders that the client works in. Spec: client/roots (2026-07-28). */
export function rootsQuestion(): Question<readonly Root[]> {
  return question;
}
