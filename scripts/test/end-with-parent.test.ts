import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const imported = fileURLToPath(new URL('../end-with-parent.js', import.meta.url));
// As a server that ends in order: it says so when it is asked to, and would run for ever otherwise.
const program = `
  process.on('SIGTERM', () => { console.log('asked to end'); process.exit(0); });
  setInterval(() => {}, 1000);
  console.log(process.pid);
`;

test.skipIf(process.platform === 'win32')('a process whose shell was killed asks itself to end', async () => {
  const shell = spawn('sh', ['-c', '"$0" --import "$1" --eval "$2"; exit 0', process.execPath, imported, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output).toMatch(/^\d+\n/);
  const pid = Number(output.trim());
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  });
  const closed = once(shell.stdout, 'close');
  shell.kill('SIGTERM');
  await closed;
  expect(output).toBe(`${pid}\nasked to end\n`);
});
