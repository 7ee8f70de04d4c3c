import { redactSecrets } from '@switchyard/guards';
import { extendFailure, Failure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import { toFailure } from '../to-failure.ts';
import { withoutApi } from './without-api.ts';

/** What the command line says of the server. */
export interface LeadFlags {
  readonly config?: string;
  readonly server?: string;
  readonly url?: string;
  readonly env?: readonly string[];
}

/** Codes of the client for a server that was not reached, or lost. */
const UNREACHED = new Set(['connect-failed', 'start-failed', 'closed', 'http-status', 'invalid-response', 'version']);
/** Codes that say so only as long as nothing has come of it yet. */
const UNREACHED_AT_START = new Set(['timeout', 'circuit-open']);
const VARIABLE = /\b(?!ERR_|UND_|MODULE_|NODE_|DEP_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const LACKS = /not (?:set|defined|found|provided)|missing|required?s?|must be|undefined|unset|provide/i;

/**
 * Has the failure to reach a server end with the command that looks for the cause, and before it with the variable that
 * a started server seems to lack. Other failures are answered as they are, in the words of the command line.
 */
export function leadOn(
  error: unknown,
  flags: LeadFlags,
  surroundings: Surroundings,
  { isStart }: { readonly isStart: boolean },
): unknown {
  if (surroundings.signal.aborted) return error;
  if (error instanceof Failure) {
    const target = error.kind === 'unavailable' ? error.server : undefined;
    return target === undefined || isBare(flags)
      ? error
      : extendFailure(error, `\n${doctorOf(target, flags, surroundings)}`);
  }
  if (!(error instanceof Error) || error.name !== 'ClientError') return error;
  const { kind, server } = toFailure(error);
  const failure = new Failure(kind, withoutApi(error.message, { hasTimes: true }), {
    cause: error,
    ...(server === undefined ? {} : { server }),
  });
  if (!UNREACHED.has(kind) && !(isStart && UNREACHED_AT_START.has(kind))) return failure;
  const target = flags.url ?? flags.server;
  if (target === undefined) return failure;
  const lacks = 'stderr' in error && typeof error.stderr === 'string' ? lackOf(error.stderr, flags, surroundings) : '';
  return extendFailure(failure, `${lacks}\n${doctorOf(target, flags, surroundings)}`);
}

function isBare({ url, server }: LeadFlags): boolean {
  return url !== undefined || server !== undefined;
}

/** A server that is started gets few variables beside those of --env, which is the usual reason for one that ends. */
function lackOf(stderr: string, { env = [] }: LeadFlags, { env: own }: Surroundings): string {
  const given = new Set(env.map((text) => text.replace(/=.*$/s, '')));
  for (const line of stderr.split('\n')) {
    if (!LACKS.test(line)) continue;
    const name = line.match(VARIABLE)?.find((each) => !given.has(each));
    if (name === undefined) continue;
    const isHere = own[name] !== undefined;
    return `\nIt gets only the variables that it is given. Pass it on: --env ${isHere ? name : `${name}=…`}`;
  }
  return '';
}

/** Answers the command that looks for the cause. What may be a secret is not repeated. */
function doctorOf(target: string, { config, env = [] }: LeadFlags, { invocation }: Surroundings): string {
  const words = [
    `Run: ${invocation} doctor`,
    shownTarget(target),
    ...(config === undefined ? [] : ['--config', quoted(config)]),
    ...env.map((text) => `--env ${text.replace(/=.*$/s, '=…')}`),
  ];
  return words.join(' ');
}

function shownTarget(target: string): string {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return quoted(redactSecrets(target));
  const { origin, pathname, search } = new URL(target);
  return quoted(`${origin}${pathname}${search === '' ? '' : '?…'}`);
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
