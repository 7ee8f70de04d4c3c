import { findConfiguration } from '@switchyard/config';
import type { RawConnectionTarget } from '@switchyard/testing';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { usageFailure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import { findLoginCredentials } from '../logins/login-credentials.ts';
import { loginUrl } from '../logins/logins.ts';
import { mayUseLogin, readBareServer } from '../target/on-target.ts';
import type { Terminal } from '../terminal.ts';

/** The options that say which server is meant. */
export interface CheckTargetFlags {
  readonly config?: string;
  readonly server?: string;
  readonly url?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
}

const ONE_WORD = /^[\w.-]+$/;

/**
 * Answers the server that a check is of: a URL, a server of the configuration by its name, or a command. Throws a usage
 * failure where the command line names none or several.
 */
export async function readCheckTarget(
  target: string | undefined,
  flags: CheckTargetFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<RawConnectionTarget> {
  const { server, takesLogin } = await readNamedServer('check', target, flags, surroundings, terminal);
  if ('url' in server && /^(?:unix|pipe):/i.test(server.url))
    throw usageFailure(
      'check reaches no socket of this machine: give an http:// URL, or a command. See: switchyard doctor',
    );
  return 'url' in server && takesLogin ? withLogin(server, surroundings) : server;
}

/** A server that the command line names, and whether a stored login to it may be used. */
export interface NamedServer {
  readonly server: RawConnectionTarget;
  readonly takesLogin: boolean;
  /** Whether it is one of the configuration, which says its headers. */
  readonly isConfigured: boolean;
}

/**
 * Answers the server that the command line of a verb means: a URL, a server of the configuration by its name, or a
 * command. Throws a usage failure where it names none or several.
 */
export async function readNamedServer(
  verb: string,
  target: string | undefined,
  flags: CheckTargetFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<NamedServer> {
  const { config, ...bare } = flags;
  if ([target, bare.server, bare.url].filter((given) => given !== undefined).length !== 1)
    throw usageFailure(
      `Name one server: a URL, a command, or a name of the configuration. See: switchyard help ${verb}`,
    );
  const configured = target === undefined ? undefined : await readConfigured(target, config, surroundings, terminal);
  if (configured !== undefined) {
    if ((bare.header ?? bare.env) !== undefined)
      throw usageFailure(`${target} is a server of the configuration, which says its headers and env.`);
    return { server: configured, takesLogin: false, isConfigured: true };
  }
  if (config !== undefined) throw usageFailure('--config needs the name of one of its servers.');
  const server = readBareServer(target === undefined ? bare : { ...bare, server: target }, surroundings);
  if (server === undefined) throw usageFailure(`Name a server. See: switchyard help ${verb}`);
  return { server, takesLogin: 'url' in server && mayUseLogin(server), isConfigured: false };
}

/** The messages of a check are made by hand, so the token of a stored login goes with them as a header. */
async function withLogin(
  server: Extract<RawConnectionTarget, { readonly url: string }>,
  surroundings: Surroundings,
): Promise<RawConnectionTarget> {
  const credentials = await findLoginCredentials(server.url, surroundings);
  const request = { httpMethod: 'POST', url: loginUrl(server.url), signal: surroundings.signal };
  const { authorization, dpop } = (await credentials?.fieldsFor(request)) ?? {};
  if (dpop !== undefined)
    throw usageFailure(
      'The token of the login to this server is bound to a key, and a check cannot prove that with each message. ' +
        'Give another token with --header.',
    );
  return authorization === undefined ? server : { ...server, headers: { ...server.headers, authorization } };
}

/** A word may be a server of the configuration; without one, or without that name, it is a program. */
async function readConfigured(
  target: string,
  config: string | undefined,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<RawConnectionTarget | undefined> {
  if (!ONE_WORD.test(target)) return undefined;
  if (config === undefined && !(await hasConfiguration(surroundings.cwd))) return undefined;
  const { configuration, file } = await loadConfiguration(config, surroundings, terminal);
  const { mcpServers } = configuration;
  const server = Object.hasOwn(mcpServers, target) ? mcpServers[target] : undefined;
  if (server !== undefined) return server;
  const none = `${file} has no server ${JSON.stringify(target)}`;
  const near = didYouMean(target, Object.keys(mcpServers));
  if (config !== undefined) throw usageFailure(`${none}.${near}`);
  if (near !== '') terminal.warn(`${none}, so it is taken for a program.${near}`);
  return undefined;
}

/** Several in one folder are none here: the word is then taken for a program, as it is where there is none. */
async function hasConfiguration(cwd: string): Promise<boolean> {
  return findConfiguration(cwd).then(
    () => true,
    () => false,
  );
}
