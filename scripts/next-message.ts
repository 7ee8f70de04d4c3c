import type { ChildProcess } from 'node:child_process';

/** Answers the next message of a child process. Rejects when it ends instead, or has ended. */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const exit = (code: number | null): void => reject(new Error(`a child process ended with code ${code}`));
    if (child.exitCode !== null || child.signalCode !== null) exit(child.exitCode);
    child.once('exit', exit);
    child.once('message', (message) => {
      child.off('exit', exit);
      resolve(message);
    });
  });
}
