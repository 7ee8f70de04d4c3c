import { join } from 'node:path';
import { browse } from './open-login-server.ts';
import { type Ended, type RunOptions, startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

/** A user with a home of his own. */
export async function openHome(more: Readonly<Record<string, string>> = {}) {
  const { path } = await untilTestEnds(temporaryFolder());
  const env = { HOME: path, XDG_CONFIG_HOME: path, ...more };
  return {
    path,
    folder: join(path, 'switchyard', 'logins'),
    run: (argv: readonly string[], options: RunOptions = {}) => startRun(argv, { env, ...options }),
    /** Logs in without a browser, which this test stands for; `visit` may do something else with the address. */
    login: (argv: readonly string[], user: string, visit = browse) => loginWith(env, argv, user, visit),
  };
}

async function loginWith(
  env: RunOptions['env'] & object,
  argv: readonly string[],
  user: string,
  visit: typeof browse,
): Promise<Ended> {
  let visiting: Promise<unknown> | undefined;
  let said = '';
  const ended = await startRun(['login', ...argv, '--no-browser'], {
    env,
    onStderr(text) {
      said += text;
      const [, address] = /\n\n(http\S+)\n\n/.exec(said) ?? [];
      if (address !== undefined) visiting ??= visit(address, user);
    },
  });
  await visiting;
  return ended;
}
