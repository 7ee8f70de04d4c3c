import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { root } from '../run.ts';

type Names = { readonly [name: string]: string };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly optionalDependencies?: Names;
}

const published = globSync('packages/*/package.json', { cwd: root }).map((file) => read(file));
const others = ['package.json', ...globSync(['examples/*/package.json', 'bench/package.json'], { cwd: root })].map(
  (file) => read(file),
);

function read(file: string): Manifest {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
}

function dependenciesOf(manifest: Manifest): readonly [string, string][] {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest;
  return [dependencies, devDependencies, peerDependencies, optionalDependencies].flatMap((names = {}) =>
    Object.entries(names),
  );
}

/** What is installed from the manifest itself; a peer is its user's to choose. */
function pinnedOf(manifest: Manifest): readonly [string, string][] {
  return dependenciesOf({ ...manifest, peerDependencies: {} });
}

function isOurs(name: string): boolean {
  return name.startsWith('@switchyard/');
}

describe('every dependency', () => {
  const foreign = [...published, ...others].flatMap((manifest) =>
    dependenciesOf(manifest)
      .map(([name]) => name)
      .filter((name) => !isOurs(name)),
  );
  const table = readFileSync(join(root, 'docs/design/dependencies.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const explained = table.flatMap((line) =>
    [...(line.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );

  test('has a row that says why, and no row is of a library that is gone', () => {
    expect(new Set(explained)).toEqual(new Set(foreign));
    expect(new Set(explained).size).toBe(explained.length);
  });

  test('is pinned to one exact version', () => {
    const loose = [...published, ...others].flatMap((manifest) =>
      pinnedOf(manifest)
        .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${manifest.name}: ${name}@${version}`),
    );
    expect(loose).toEqual([]);
  });
});

describe('the published packages', () => {
  test('have one version, and depend on each other by it', () => {
    const versions = new Set(published.map(({ version }) => version));
    expect(versions.size).toBe(1);
    for (const manifest of published) {
      for (const [name, version] of dependenciesOf(manifest)) if (isOurs(name)) expect(versions).toContain(version);
    }
  });

  test.each(published)('are published for everybody, and built when they are packed: $name', (manifest) => {
    expect(manifest).toMatchObject({
      keywords: expect.arrayContaining(['mcp']) as unknown,
      publishConfig: { access: 'public' },
      scripts: { prepack: 'node ../../scripts/prepack.ts' },
    });
  });
});

describe('who may import whom', async () => {
  const { mayImport } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
    mayImport: Readonly<Record<string, readonly string[]>>;
  };
  const rules = Object.entries(mayImport).map(([name, allowed]) => ({ name, allowed: allowed.toSorted() }));

  test('has a rule for each package', () => {
    const names = published.map(({ name }) => name.replace('@switchyard/', ''));
    expect(rules.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  test('stands in docs/design/packages.md as it is enforced', () => {
    const rows = readFileSync(join(root, 'docs/design/packages.md'), 'utf8').matchAll(/^\| `(\w+)` .*\|([^|]+)\|$/gm);
    const table = [...rows].map(([, name = '', imports = '']) => {
      const allowed = imports.trim() === 'nothing of ours' ? [] : imports.trim().split(', ');
      return { name, allowed: allowed.sort() };
    });
    expect(table).toEqual(rules);
  });

  test.each(rules)('is what $name depends on and is built after', ({ name, allowed }) => {
    const depended = dependenciesOf(read(`packages/${name}/package.json`)).filter(([other]) => isOurs(other));
    expect(depended.map(([other]) => other.replace('@switchyard/', '')).sort()).toEqual(allowed);
    const { references = [] } = JSON.parse(readFileSync(join(root, 'packages', name, 'tsconfig.json'), 'utf8')) as {
      references?: readonly { readonly path: string }[];
    };
    expect(references.map(({ path }) => path.replace('../', '')).sort()).toEqual(allowed);
  });
});

describe.each(['server', 'client'])('the rooms of the %s', async (name) => {
  const rules = (await import(join(root, '.dependency-cruiser.mjs'))) as {
    readonly [list: string]: readonly (readonly string[])[];
  };
  const layers = rules[`${name}Layers`] ?? [];
  const rooms = globSync(`packages/${name}/src/*/`, { cwd: root }).map((folder) => basename(folder));

  test('lie in one layer each', () => {
    expect(layers.flat().sort()).toEqual(rooms.toSorted());
  });

  test('stand in ARCHITECTURE.md', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const [, section = ''] = new RegExp(`^## The rooms of \`${name}\`$([\\s\\S]*?)^## `, 'm').exec(text) ?? [];
    const named = [...section.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)\/`/g)].map(([, room = '']) => room),
    );
    expect(named.sort()).toEqual(rooms.toSorted());
  });
});

describe('the stages of a call', () => {
  const pipeline = readFileSync(join(root, 'packages/host/src/call/pipeline.ts'), 'utf8');
  const list = /stages: Stage\[\] = \[([\s\S]*?)\];/.exec(pipeline)?.[1] ?? '';
  const stages = [...list.matchAll(/^\s*(?:create)?(\w+)\(/gm)].map(([, name = '']) => name.toLowerCase());

  test.each([
    ['ARCHITECTURE.md', /^ {5}([a-z]+) {2,}\S/gm],
    ['docs/design/governed-call.md', /^\| ([a-z]+) +\|/gm],
  ])('stand in %s in the order of the pipeline', (file, row) => {
    const named = [...readFileSync(join(root, file), 'utf8').matchAll(row)].map(([, name = '']) => name);
    expect(stages.length).toBeGreaterThan(5);
    expect(named.filter((name) => name !== 'stage')).toEqual(stages);
  });
});
