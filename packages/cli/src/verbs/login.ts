import { connect, openBrowser, openLoopbackRedirect, type LoopbackRedirect } from '@switchyard/client/node';
import { present } from '@switchyard/protocol';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { createLoginCredentials, REDIRECT_PATH } from '../logins/login-credentials.ts';
import { type Login, loginUrl, openLogins } from '../logins/logins.ts';
import { shownLogin } from '../present/show-logins.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** The options of `login`. */
export interface LoginFlags {
  readonly scope?: string;
  readonly clientId?: string;
  /** The name of a variable. */
  readonly clientSecretEnv?: string;
  readonly clientMetadataUrl?: string;
  /** `false` with `--no-browser`. */
  readonly browser: boolean;
  readonly port?: number;
  readonly timeout?: number;
  readonly dpop?: boolean;
}

const DEFAULT_TIMEOUT_MS = 300_000;
/** How long a server may take to show whether it wants a token at all. */
const PROBE_MS = 10_000;

/** `switchyard login URL`: has the user log in in a browser, and keeps the tokens. */
export async function login(
  text: string,
  flags: LoginFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  const url = readUrl(text);
  const settings = readSettings(url, flags, surroundings.env);
  const logins = openLogins(surroundings);
  // What is damaged shows before the user is asked.
  await logins.list();
  let authorizationServer = '';
  const timeoutMs = flags.timeout ?? DEFAULT_TIMEOUT_MS;
  const redirect = await openRedirect(flags, timeoutMs, surroundings, (page) => {
    authorizationServer = page.origin;
  });
  try {
    const credentials = createLoginCredentials(settings, logins, { redirect, authorizationTimeoutMs: timeoutMs });
    await credentials.login({ signal: surroundings.signal });
  } catch (error) {
    throw authorizationServer === '' ? await explainNoLogin(error, url, surroundings) : error;
  } finally {
    await redirect.close();
  }
  const kept: Login = { ...settings, authorizationServer, loggedInAt: new Date().toISOString() };
  await logins.keep(kept, surroundings.signal);
  terminal.result(
    shownLogin(kept),
    () => `Logged in to ${url}. Every verb uses it for that URL: ${surroundings.invocation} tools --url ${url}`,
  );
  return exitCodes.success;
}

/** Reads the URL of a server; its query belongs to it. */
export function readUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw usageFailure(`${JSON.stringify(text)} is no URL of a server. Write https://host/path.`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw usageFailure('A URL with a user or a password needs no login: those go with every request.');
  return loginUrl(text);
}

function readSettings(
  url: string,
  { scope, clientId, clientSecretEnv, clientMetadataUrl, dpop }: LoginFlags,
  env: Surroundings['env'],
): Omit<Login, 'authorizationServer' | 'loggedInAt'> {
  if (clientId !== undefined && clientMetadataUrl !== undefined)
    throw usageFailure('Give --client-id or --client-metadata-url, not both: the URL of the metadata is an id.');
  if (clientSecretEnv !== undefined && clientId === undefined)
    throw usageFailure('--client-secret-env needs --client-id.');
  const clientSecret = clientSecretEnv === undefined ? undefined : env[clientSecretEnv];
  if (clientSecretEnv !== undefined && (clientSecret ?? '') === '') {
    // A text that is no name may be the secret, so it is not repeated.
    const shown = /^[A-Za-z_]\w*$/.test(clientSecretEnv) ? ` ${clientSecretEnv}` : '';
    throw usageFailure(`--client-secret-env${shown} names a variable that holds the secret, and it is not set here.`);
  }
  return { url, ...present({ scope, clientId, clientSecret, clientMetadataUrl, dpop }) };
}

async function openRedirect(
  { browser, port, clientSecretEnv }: LoginFlags,
  timeoutMs: number,
  { env, stderr, readLine, signal }: Surroundings,
  onPage: (page: URL) => void,
): Promise<LoopbackRedirect> {
  const asks = !browser && readLine !== undefined;
  const browserEnv = Object.fromEntries(Object.entries(env).filter(([name]) => name !== clientSecretEnv));
  try {
    return await openLoopbackRedirect({
      path: REDIRECT_PATH,
      timeoutMs,
      ...(port === undefined ? {} : { ports: [port] }),
      openBrowser: browser ? (page) => openBrowser(page, { env: browserEnv }) : false,
      onUrl(page) {
        onPage(page);
        // With --json, too: without the address nobody can log in. A URL is written in ASCII.
        stderr.write(`${browser ? opening(page) : `Log in at ${page.origin}. Open this address:`}\n\n${page.href}\n\n`);
        if (asks)
          stderr.write('Where the browser is on another machine: paste the address that it shows at the end.\n');
      },
      ...(asks ? { readPasted: (options) => readLine(options.signal) } : {}),
    });
  } catch (cause) {
    signal.throwIfAborted();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure('port', `The browser cannot come back: ${why}. Choose another one with --port.`, { cause });
  }
}

/** Tells a server that is not there, and one that wants no token, from one whose login fails. */
async function explainNoLogin(error: unknown, url: string, surroundings: Surroundings): Promise<unknown> {
  const { signal, invocation } = surroundings;
  if (signal.aborted || !(error instanceof Error) || error.name !== 'ClientError' || !('code' in error)) return error;
  const shown = shownUrl(url);
  if (/ECONNREFUSED|ENOTFOUND/.test(error.message)) {
    const why = `Nothing listens at ${shown}, so there is nobody to log in to.`;
    return new Failure('connect-failed', `${why} ${error.message}\nRun: ${invocation} doctor ${shown}`, {
      cause: error,
    });
  }
  if (error.code !== 'authorization') return error;
  const wantsNone = await answersAnybody(url, signal);
  if (!wantsNone) return error;
  const use = `Use it as it is: ${invocation} tools --url ${shown}`;
  return new Failure('no-login', `${shown} asks for no login: it answers whoever calls. ${use}`, { cause: error });
}

/** Whether a server lists its tools to a client without a token. */
async function answersAnybody(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const client = await connect(url, { signal, timeoutMs: PROBE_MS, startTimeoutMs: PROBE_MS, cache: false });
    try {
      await client.listTools();
      return true;
    } finally {
      await client.close();
    }
  } catch {
    // Why not is no answer to the question.
    return false;
  }
}

/** A query may hold a key. */
function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

function opening({ origin }: URL): string {
  return `Log in at ${origin}, where your browser opens now. If it does not, open this address:`;
}
