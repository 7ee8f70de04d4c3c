import type { ListRootsResult, Root } from '@switchyard/protocol';

import type { Question } from './question.ts';

const question: Question<readonly Root[]> = {
  request: { method: 'roots/list', params: {} },
  lacks: ({ roots }) => (roots === undefined ? { roots: {} } : undefined),
  read(answer) {
    const { roots } = answer as object as ListRootsResult;
    const foreign = roots.findIndex(({ uri }) => !isLocalFile(uri));
    return foreign < 0 ? { value: roots } : { problem: `roots[${foreign}].uri must be a file: URI without a host` };
  },
};

/** Another host than the client's own would lead a handler onto the network. Spec: RFC 8089 section 2. */
function isLocalFile(uri: string): boolean {
  return /^file:\/\//i.test(uri) && URL.canParse(uri) && new URL(uri).host === '';
}

/** The question for the folders that the client works in. Spec: client/roots (2026-07-28). */
export function rootsQuestion(): Question<readonly Root[]> {
  return question;
}
