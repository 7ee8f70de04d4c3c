import { fork } from 'node:child_process';

import { nextMessage } from '../../scripts/next-message.ts';
import { endChild } from './end-child.ts';

/** A server process under measurement. */
export interface Contender extends AsyncDisposable {
  readonly port: number;
  /** CPU time of the process so far, in microseconds. */
  cpuMicroseconds(): Promise<number>;
}

/** Starts one of the programs in `servers/` and waits until it listens. */
export async function startContender(program: string, args: readonly string[]): Promise<Contender> {
  const child = fork(new URL(`servers/${program}.ts`, import.meta.url), args, {
    execArgv: ['--conditions=@switchyard/source'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { port } = (await nextMessage(child)) as { port: number };
  return {
    port,
    async cpuMicroseconds() {
      child.send('cpu');
      return ((await nextMessage(child)) as { cpu: number }).cpu;
    },
    [Symbol.asyncDispose]: () => endChild(child, () => void child.kill()),
  };
}
