import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from '../../src/node/index.ts';

/** A server in a child process that listens on loopback. */
export interface ListeningProcess {
  /** Without a path. */
  readonly origin: string;
  /** Ends the process and resolves when it is gone. */
  end(): Promise<void>;
}

/** Type stripping is half of a start; what it came to is kept between starts. */
const env = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../node_modules/.cache/switchyard-matrix', import.meta.url)),
};
const preload = new URL('./servers/on-loopback.js', import.meta.url).href;

/** Answers the path of a program of `servers/`. */
export function ownProgram(name: string): string {
  return fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url));
}

/** Answers the command that starts a program over stdio. */
export function overStdio(program: string, args: readonly string[], more: Command['env'] = {}): Command {
  const flags = ['--conditions=@switchyard/source'];
  return { command: process.execPath, args: [...flags, program, ...args], env: { ...env, ...more } };
}

/** Starts a program that listens, on loopback and a free port whatever it asks for. */
export async function startListening(program: string, args: readonly string[]): Promise<ListeningProcess> {
  const flags = ['--conditions=@switchyard/source', '--import', preload];
  const child = spawn(process.execPath, [...flags, program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    return { origin: `http://127.0.0.1:${await portOf(child, said)}`, end };
  } catch (error) {
    await end();
    throw error;
  }
}

function portOf(child: ChildProcess, said: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`it exited with ${code} before it listened: ${said.join('')}`)));
    child.once('message', (message) => resolve((message as { readonly port: number }).port));
  });
}
