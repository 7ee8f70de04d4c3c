import { readFileSync } from 'node:fs';

/**
 * Answers what is wrong with running on a version of Node, such as `20.19.1`, by the `engines` of this package;
 * `undefined` where nothing is. Nothing in it is newer than Node 14.
 */
export function nodeProblem(version: string): string | undefined {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const needed = engines.node.replace(/^>=/, '');
  if (!isOlder(version, needed)) return undefined;
  return `switchyard needs Node ${needed} or newer, and this is v${version}: install a newer one, such as the current LTS from https://nodejs.org, and run the command again.`;
}

function isOlder(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
  return major === neededMajor ? minor < neededMinor : major < neededMajor;
}
