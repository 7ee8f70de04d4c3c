import type { ChildProcess } from 'node:child_process';

/** Has a child process end and waits until it is gone. One that has ended by itself is left alone. */
export async function endChild(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  end();
  await exited;
}
