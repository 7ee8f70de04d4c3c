import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Finished, root, run } from './run.ts';

/**
 * Checks what would be published: packs each package, which builds it, looks for what every tarball must hold, lints
 * the tarball's manifest and types, then installs all tarballs into an empty folder and imports every entry point there
 * with the plain `node` conditions.
 */
export async function checkPackages(): Promise<Finished> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-packed-'));
  try {
    const names = readdirSync(join(root, 'packages'));
    const tarballs: string[] = [];
    for (const name of names) {
      const cwd = join(root, 'packages', name);
      // Not silent: a failed build says why, and the name of the tarball is the last line of standard output.
      const packed = await run('npm', ['pack', '--loglevel', 'error', '--pack-destination', folder], { cwd });
      if (packed.code !== 0) return packed;
      const tarball = join(folder, packed.output.trim().split('\n').at(-1) ?? '');
      tarballs.push(tarball);
      const listed = await run('tar', ['-tzf', tarball]);
      if (listed.code !== 0) return listed;
      const missing = missingFrom(listed.output.trim().split('\n'), cwd);
      if (missing.length > 0) return { code: 1, output: `the tarball of ${name} does not hold ${missing.join(', ')}` };
      const linted = await run('publint', ['run', tarball, '--strict']);
      if (linted.code !== 0) return linted;
      if (name === 'cli') continue;
      const types = await run('attw', [tarball, '--profile', 'esm-only', '--no-color', '--format', 'ascii']);
      if (types.code !== 0) return types;
    }
    return await importInstalled(folder, names, tarballs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a tarball with these entries lacks: the licence, the README, or the output of one of its sources. */
function missingFrom(entries: readonly string[], cwd: string): readonly string[] {
  const held = new Set(entries.map((entry) => entry.replace(/^package\//, '')));
  const built = globSync('src/**/*.ts', { cwd }).map((file) => file.replace(/^src\/(.*)\.ts$/, 'dist/$1.js'));
  return ['LICENSE', 'README.md', ...built].filter((file) => !held.has(file));
}

async function importInstalled(
  folder: string,
  names: readonly string[],
  tarballs: readonly string[],
): Promise<Finished> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'packed', private: true, type: 'module' }));
  // Optional peers are their user's to install, and some entries need them.
  const peers = names.flatMap((name) => {
    const { peerDependencies = {}, devDependencies = {} } = manifestOf(name);
    return Object.keys(peerDependencies).map((peer) => `${peer}@${devDependencies[peer] ?? ''}`);
  });
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs, ...peers];
  const installed = await run('npm', install, { cwd: folder });
  if (installed.code !== 0) return installed;
  const entries = names.flatMap((name) => {
    const manifest = manifestOf(name);
    return Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => manifest.name + entry.slice(1));
  });
  const script = entries.map((entry) => `await import(${JSON.stringify(entry)});`).join('\n');
  return await run('node', ['--input-type=module', '--eval', script], { cwd: folder });
}

interface Manifest {
  readonly name: string;
  readonly exports: { readonly [entry: string]: unknown };
  readonly peerDependencies?: { readonly [name: string]: string };
  readonly devDependencies?: { readonly [name: string]: string };
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}
