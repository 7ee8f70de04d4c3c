import type { HttpCredentials } from '@switchyard/client';
import { present } from '@switchyard/protocol';
import { diagnose, type DoctorCall, type RawConnectionTarget } from '@switchyard/testing';
import { parseObject } from '../arguments/parse-pairs.ts';
import { type CheckTargetFlags, type NamedServer, readNamedServer } from '../check/check-target.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { showDiagnosis } from '../present/show-diagnosis.ts';
import type { Surroundings } from '../surroundings.ts';
import { readBareServer } from '../target/on-target.ts';
import type { Terminal } from '../terminal.ts';

/** The options of `doctor`. */
export interface DoctorFlags extends CheckTargetFlags {
  readonly tool?: string;
  readonly args?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Seconds. */
  readonly idle?: number;
  readonly verbose?: boolean;
}

const SOCKET = /^(?:unix|pipe):\/\//i;

/** `switchyard doctor TARGET`: looks for the cause of what is wrong with a server, and exits 1 where there is one. */
export async function doctor(
  target: string | undefined,
  flags: DoctorFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  const tool = readCall(flags);
  const { server, takesLogin, isConfigured } = await readServer(target, flags, surroundings, terminal);
  const credentials = 'url' in server && takesLogin ? await credentialsFor(server.url, surroundings) : undefined;
  const diagnosis = await diagnose(server, {
    ...present({ tool, credentials, timeoutMs: flags.timeout }),
    ...(flags.idle === undefined ? {} : { idleMs: flags.idle * 1_000 }),
    env: surroundings.env,
    loginCommand: isConfigured ? false : `${surroundings.invocation} login`,
    onStep: (question) => terminal.progress(question),
    signal: surroundings.signal,
  });
  terminal.result(diagnosis, () => showDiagnosis(diagnosis, flags, terminal));
  return diagnosis.cause === undefined ? exitCodes.success : exitCodes.toolError;
}

function readCall({ tool, args }: DoctorFlags): DoctorCall | undefined {
  if (args !== undefined && tool === undefined) throw usageFailure('--args needs --tool.');
  if (tool === undefined) return undefined;
  return { name: tool, arguments: args === undefined ? {} : parseObject('--args', args) };
}

/** A socket of this machine has a URL of its own form, which takes headers as any. */
async function readServer(
  target: string | undefined,
  { config, server, url, header, env }: DoctorFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<NamedServer> {
  const flags = present({ config, server, url, header, env });
  const given = [target, server, url].filter((each) => each !== undefined);
  const [socket = ''] = given;
  if (given.length !== 1 || !SOCKET.test(socket))
    return readNamedServer('doctor', target, flags, surroundings, terminal);
  const like = readBareServer({ ...present({ config, header, env }), url: 'http://localhost/' }, surroundings);
  return {
    server: { ...(like as Extract<RawConnectionTarget, { readonly url: string }>), url: socket },
    takesLogin: false,
    isConfigured: false,
  };
}

async function credentialsFor(url: string, surroundings: Surroundings): Promise<HttpCredentials | undefined> {
  const { findLoginCredentials } = await import('../logins/login-credentials.ts');
  return findLoginCredentials(url, surroundings);
}
