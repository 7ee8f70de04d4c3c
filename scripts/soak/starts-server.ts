import { spawn } from 'node:child_process';
import process from 'node:process';

/**
 * How a server of the soak behaves:
 *
 * - `plain`: it exits at the end of its input, and leaves its grandchild behind.
 * - `deaf-grandchild`: the same, and the grandchild ignores SIGTERM.
 * - `stubborn`: it ignores the end of its input and SIGTERM.
 * - `crash`: it exits before it has answered, and leaves its grandchild behind.
 */
export type Behaviour = 'plain' | 'deaf-grandchild' | 'stubborn' | 'crash';

/** A small server of revision 2026-07-28 with a grandchild that holds its stdout and stderr open. */
if (import.meta.main) {
  const behaviour = process.argv[2] as Behaviour;
  const trap = behaviour === 'deaf-grandchild' || behaviour === 'stubborn' ? 'trap "" TERM; ' : '';
  // The shell goes on after sleep has been ended, so that it takes another signal to end it.
  spawn('/bin/sh', ['-c', `${trap}sleep 300; sleep 300`], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (behaviour === 'crash') process.exit(3);
  if (behaviour === 'stubborn') {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
  }
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) answer(JSON.parse(line) as Asked);
  });
  if (behaviour !== 'stubborn') process.stdin.on('end', () => process.exit(0));
}

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

function answer({ id, method, params }: Asked): void {
  const result = resultOf(method, params?.name);
  if (id !== undefined && result !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}

function resultOf(method: string, tool: string | undefined): object | undefined {
  const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  if (method === 'server/discover') return { ...fresh, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
  if (method === 'tools/list') return { ...fresh, tools: [] };
  const text = String(process.pid);
  return tool === 'pid' ? { resultType: 'complete', content: [{ type: 'text', text }] } : undefined;
}
