import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Finished, root, run } from './run.ts';

/**
 * Checks what would be published: builds the packages, packs each one, lints the tarball's manifest and types, then
 * installs all tarballs into an empty folder and imports every entry point there with the plain `node` conditions.
 */
export async function checkPackages(): Promise<Finished> {
  const built = await run('tsc', ['-b', 'tsconfig.build.json']);
  if (built.code !== 0) return built;
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-packed-'));
  try {
    const names = readdirSync(join(root, 'packages'));
    const tarballs: string[] = [];
    for (const name of names) {
      const cwd = join(root, 'packages', name);
      const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd });
      if (packed.code !== 0) return packed;
      const tarball = join(folder, packed.output.trim().split('\n').at(-1) ?? '');
      tarballs.push(tarball);
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

async function importInstalled(
  folder: string,
  names: readonly string[],
  tarballs: readonly string[],
): Promise<Finished> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'packed', private: true, type: 'module' }));
  const installed = await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs], {
    cwd: folder,
  });
  if (installed.code !== 0) return installed;
  const entries = names.flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as {
      name: string;
      exports: Record<string, unknown>;
    };
    return Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => manifest.name + entry.slice(1));
  });
  const script = entries.map((entry) => `await import(${JSON.stringify(entry)});`).join('\n');
  return await run('node', ['--input-type=module', '--eval', script], { cwd: folder });
}
