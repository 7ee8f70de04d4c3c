import { fork } from 'node:child_process';

import { nextMessage } from '../../scripts/next-message.ts';
import { endChild } from './end-child.ts';

/** A process that puts load on what is measured, and never shares a thread with it. */
export interface LoadProcess<Request, Result> extends AsyncDisposable {
  /** Has one run done, one at a time. Rejects with what went wrong there. */
  run(request: Request): Promise<Result>;
}

/** Starts one of the load programs of this folder. Whoever started it ends it. */
export function startLoad<Request extends object, Result>(program: string): LoadProcess<Request, Result> {
  const child = fork(new URL(`${program}.ts`, import.meta.url), [], { execArgv: ['--conditions=@switchyard/source'] });
  return {
    async run(request) {
      child.send(request);
      const { result, error } = (await nextMessage(child)) as { result?: Result; error?: string };
      if (result === undefined) throw new Error(error);
      return result;
    },
    [Symbol.asyncDispose]: () => endChild(child, () => child.disconnect()),
  };
}
