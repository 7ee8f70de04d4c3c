import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { LoginFlags } from '../verbs/login.ts';
import { toDuration, toPort, withJson } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `login`, `logout` and `logins`: tokens for servers that want one. */
export function declareLogins(program: Command, surroundings: Surroundings, perform: Perform): void {
  withJson(program.command('login'))
    .description('Log in to a server in the browser, and keep the tokens for every verb.')
    .argument('<url>', 'the URL of the server, as --url takes it')
    .option('--scope <scopes>', 'ask for these, too, separated by spaces (default: what the server says it needs)')
    .option('--client-id <id>', 'the id of a client that was registered by hand')
    .option('--client-secret-env <name>', 'the variable that holds its secret')
    .option('--client-metadata-url <url>', 'the URL where the metadata of the client are published')
    .option('--no-browser', 'open no browser, and print the address to open')
    .option('--port <port>', 'the port of 127.0.0.1 that the browser comes back to (default: a free one)', toPort)
    .option('--timeout <seconds>', 'how long you may take (default: 300)', toDuration)
    .option('--dpop', 'take only a token that is bound to a key of this login')
    .addHelpText(
      'after',
      `
Without --client-id and --client-metadata-url the client registers itself, where the authorization server allows that. The metadata, or
the registration by hand, must list the redirect URI http://127.0.0.1/callback. With --no-browser in a terminal, the address that the
browser shows at the end can be pasted, too, for a browser on another machine. Tokens are kept in switchyard/logins of XDG_CONFIG_HOME
or ~/.config (macOS: Library/Application Support, Windows: APPDATA), for you alone to read and encrypted: with the passphrase in
SWITCHYARD_LOGIN_PASSPHRASE, else with a key beside them. With --json: the login, without tokens.

Examples:
  switchyard login https://mcp.example.com/mcp
  switchyard login https://mcp.example.com/mcp --no-browser --scope 'orders:read orders:write'
  switchyard login https://mcp.example.com/mcp --client-id my-client --client-secret-env MY_CLIENT_SECRET --port 8912`,
    )
    .action((url: string, flags: LoginFlags) =>
      perform(async (terminal) => {
        const { login } = await import('../verbs/login.ts');
        return login(url, flags, surroundings, terminal);
      }),
    );
  withJson(program.command('logout'))
    .description('Forget a login and its tokens.')
    .argument('<url>', 'the URL of the server')
    .addHelpText(
      'after',
      `
The tokens are deleted here, damaged ones, too, and not revoked: the server takes a copy until it ends. The next login registers the
client anew. With --json: an object with the URL.

Examples:
  switchyard logout https://mcp.example.com/mcp`,
    )
    .action((url: string) =>
      perform(async (terminal) => {
        const { logout } = await import('../verbs/logout.ts');
        return logout(url, surroundings, terminal);
      }),
    );
  withJson(program.command('logins'))
    .description('List the servers that you are logged in to.')
    .addHelpText(
      'after',
      `
With --json: an array of logins. Neither shows a token or a secret.

Examples:
  switchyard logins
  switchyard logins --json | jq -r '.[].url'`,
    )
    .action(() =>
      perform(async (terminal) => {
        const { logins } = await import('../verbs/logins.ts');
        return logins(surroundings, terminal);
      }),
    );
}
