import { spawn } from 'node:child_process';
import process from 'node:process';
import { type Clock, systemClock } from '../peer/clock.ts';

/** How a browser is opened; all of it for tests. */
export interface OpenBrowserOptions {
  /** Default: that of this process. */
  readonly platform?: string;
  /** The variables of the browser; those of this program, whose names begin with `SWITCHYARD_`, are not handed on. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/** What goes on for so long is the browser itself, or will open one. */
const STARTED_MS = 3000;

/**
 * Opens a URL in the browser of the user by the command of the platform: `open`, `xdg-open` or `rundll32`. No shell
 * reads it. Rejects for a URL that is not `http:` or `https:`, and where the command is missing or fails; its message
 * holds no URL.
 */
export async function openBrowser(url: URL, options: OpenBrowserOptions = {}): Promise<void> {
  const { platform = process.platform, env = process.env, clock = systemClock } = options;
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error(`no browser is opened for a URL that begins with ${url.protocol}`);
  const [command, ...args] = commandFor(platform);
  const child = spawn(command, [...args, url.href], {
    stdio: 'ignore',
    detached: true,
    env: withoutOwn(env),
    windowsHide: true,
  });
  child.unref();
  const started = Promise.withResolvers<void>();
  child.once('error', (error: NodeJS.ErrnoException) =>
    started.reject(new Error(`${command} could not be started (${error.code ?? error.name})`)),
  );
  child.once('exit', (code) => {
    if (code === 0) started.resolve();
    else started.reject(new Error(`${command} found no browser (exit ${code ?? 'by a signal'})`));
  });
  const stop = clock.after(STARTED_MS, () => started.resolve());
  try {
    await started.promise;
  } finally {
    stop();
  }
}

/** A browser, and whatever it starts, has no use for passphrases. */
function withoutOwn(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^SWITCHYARD_/i.test(name)));
}

function commandFor(platform: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
