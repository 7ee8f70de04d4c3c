import { execPath } from 'node:process';
import { describe, expect, it } from 'vitest';
import { isProcessRunning } from '../../../guards/test/is-process-running.ts';
import type { RawConnectionTarget } from '../../src/index.ts';
import { type Answer, openBadServer } from './bad-server.ts';
import { expectCause } from './expect-cause.ts';

const short = { timeoutMs: 500 };
const dies = (code: string): RawConnectionTarget => ({ command: execPath, args: ['-e', code] });

/** Writes for as long as somebody reads. */
function endless(mediaType: string, part: string): Answer {
  return (_request, { response }) => {
    response.writeHead(200, { 'content-type': mediaType });
    const write = (): void => {
      while (!response.destroyed && response.write(part.repeat(1_000)));
    };
    response.on('drain', write);
    response.on('error', () => undefined);
    write();
    return undefined;
  };
}

describe('the doctor', () => {
  it.each<[string, Answer]>([
    ['a body', endless('application/json', 'x'.repeat(64))],
    ['a stream', endless('text/event-stream', 'data: {"jsonrpc":"2.0","method":"x"}\n\n')],
  ])('does not read %s without end', async (_what, answer) => {
    const expected = {
      step: 'endpoint',
      saw: /no MCP server/,
      evidence: /^body: .{100,320}$/,
      fix: /URL of the MCP endpoint/,
    };
    await expectCause(await openBadServer(answer), short, expected);
  });

  it('does not wait for an answer that comes a character at a time', async () => {
    const url = await openBadServer((_request, { response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
      return undefined;
    });
    const evidence = /^initialize: nothing came within 500 ms$/;
    await expectCause(url, short, { step: 'handshake', saw: /It is silent/, evidence, fix: /--timeout/ });
  });

  it('keeps the beginning of a flood on stdout, and of stderr the end', async () => {
    const flood = `const write = (to, text) => { while (to.write(text.repeat(1000))); to.once('drain', () => write(to, text)); };`;
    await expectCause(dies(`${flood} write(process.stdout, 'junk\\n')`), short, {
      step: 'stdout',
      saw: /^At least 20 lines/,
      evidence: /^stdout: junk$/,
      fix: /Log to stderr/,
    });
    const silent = {
      step: 'handshake',
      saw: /It is silent/,
      evidence: /^stderr: err$/,
      fix: /waits for something else/,
    };
    const { steps } = await expectCause(dies(`${flood} write(process.stderr, 'err\\n')`), short, silent);
    expect(steps.flatMap(({ evidence }) => evidence).length).toBeLessThan(20);
  });

  it('leaves no process of a server behind, also where the server itself has ended', async () => {
    const code = `const { pid } = require('node:child_process').spawn('sleep', ['600']); console.error('started ' + pid); process.exit(3)`;
    const { steps } = await expectCause(
      dies(code),
      {},
      {
        step: 'start',
        saw: /exit code 3/,
        evidence: /^stderr: started \d+$/,
        fix: /./,
      },
    );
    const pid = Number(/started (\d+)/.exec(JSON.stringify(steps))?.[1]);
    expect(pid).toBeGreaterThan(0);
    expect(isProcessRunning(pid)).toBe(false);
  });
});
