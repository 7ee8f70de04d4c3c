import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveShop } from './shop.ts';
import type { Script } from './typing-person.ts';

const bin = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));

/** `script` of util-linux gives a process a terminal; that of other systems has other options. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

const BELL = '\u0007';
/** Longer than a question waits for a pause. */
const PAUSE_MS = 600;

/** Types as soon as something is shown, which may be dropped, and then again after a pause. */
async function onPseudoTerminal(args: readonly string[], todo: Script) {
  const words = [process.execPath, '--conditions=@switchyard/source', bin, ...args];
  const command = `stty cols 200; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env: { ...process.env, TERM: 'xterm' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  let raw = '';
  let typed = '';
  const waiting = [...todo];
  child.stdout.on('data', (chunk: Buffer) => {
    raw += chunk.toString();
    shown += stripVTControlCharacters(chunk.toString());
    // No clock can be given to another process.
    if (chunk.includes(BELL)) setTimeout(() => child.stdin.write(typed), PAUSE_MS);
    const [next] = waiting;
    if (next === undefined || !next[0].test(shown)) return;
    waiting.shift();
    typed = next[1];
    child.stdin.write(typed);
  });
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, raw, shown, left: waiting.length };
}

describe.skipIf(!hasScript)('on a pseudo terminal', () => {
  it('asks, takes keys one by one, and prints the result behind it', async () => {
    const ended = await onPseudoTerminal(
      ['call', 'agree', '--url', await serveShop()],
      [
        [/Yes \(required, yes or no\)/, 'yes\r'],
        [/Send it to/, 'a\r'],
        [/Really\?[\s\S]*Yes \(required, yes or no\)/, 'no\r'],
        [/Really\?[\s\S]*Send it to/, 'a\r'],
      ],
    );
    expect(ended).toMatchObject({ exitCode: 0, left: 0 });
    expect(ended.shown).toMatch(/accept accept\s*$/);
    expect(ended.raw.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(ended.raw.lastIndexOf('\u001b[?2004h'));
  });

  it('takes the first Ctrl-C as the end of a question, and the second as that of the command', async () => {
    const ended = await onPseudoTerminal(
      ['call', 'agree', '--url', await serveShop()],
      [
        [/Sure\?[\s\S]*Yes \(required, yes or no\)/, '\u0003'],
        [/Really\?[\s\S]*Yes \(required, yes or no\)/, '\u0003'],
      ],
    );
    expect(ended).toMatchObject({ exitCode: 130, left: 0 });
    expect(ended.shown).toMatch(/It was interrupted/);
  });
});
