import { type ChildProcess, fork } from 'node:child_process';

/** A server process under measurement. */
export interface Contender extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** CPU time of the process so far, in microseconds. */
  cpuMicroseconds(): Promise<number>;
}

/** Starts one of the programs in `servers/` and waits until it listens. */
export async function startContender(name: string, program: string, args: readonly string[]): Promise<Contender> {
  const child = fork(new URL(`servers/${program}.ts`, import.meta.url), args, {
    execArgv: ['--conditions=@switchyard/source'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { port } = (await nextMessage(child)) as { port: number };
  return {
    name,
    port,
    async cpuMicroseconds() {
      child.send('cpu');
      return ((await nextMessage(child)) as { cpu: number }).cpu;
    },
    async [Symbol.asyncDispose]() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await exited;
    },
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const exit = (code: number | null): void => reject(new Error(`a benchmark server ended with code ${code}`));
    child.once('exit', exit);
    child.once('message', (message) => {
      child.off('exit', exit);
      resolve(message);
    });
  });
}
