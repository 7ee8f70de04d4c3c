// Who may import whom. docs/design/packages.md shows the table, and a test holds it, the manifests and the references of
// the builds against this one; `npm run check` also plants a forbidden import to prove that this file still catches one.

export const mayImport = {
  protocol: [],
  stores: ['protocol'],
  guards: [],
  config: [],
  server: ['protocol', 'stores'],
  client: ['protocol', 'guards', 'stores'],
  host: ['client', 'guards', 'stores', 'protocol', 'config'],
  gateway: ['host', 'server', 'config', 'protocol'],
  testing: ['server', 'client', 'protocol', 'guards'],
  cli: ['client', 'config', 'gateway', 'guards', 'host', 'protocol', 'server', 'testing'],
};

// The rooms of `packages/server/src` in layers, the lowest first: a room imports those of its own layer and of those before it in this list,
// never a later one. ARCHITECTURE.md says what is in each.
export const serverLayers = [
  ['timing'],
  ['limits', 'state', 'exchange'],
  ['authorization', 'schema'],
  ['handler'],
  ['definition'],
  ['effects'],
  ['dispatch'],
  ['input'],
  ['subscriptions'],
  ['catalog'],
  ['tasks', 'methods', 'apps'],
  ['composition'],
  ['skills'],
  ['assembly', 'http'],
  ['legacy'],
  ['node'],
  ['endpoint'],
];

// The rooms of `packages/client/src` in layers, in the same way. The files beside them, with what a user calls, may import every room.
export const clientLayers = [
  ['peer'],
  ['timing'],
  ['message'],
  ['duplex', 'memory'],
  ['http'],
  ['icons', 'trust'],
  ['session'],
  ['input'],
  ['modern', 'legacy'],
  ['negotiate'],
  ['call'],
  ['subscriptions', 'tasks', 'skills'],
  ['cache'],
  ['authorization'],
  ['node'],
];

// What the exports of the packages lead to.
const entryFiles = '^packages/[^/]+/src/((node|sqlite|postgres|redis|schema|authorization|endpoint)/)?index\\.ts$';

const layerRules = Object.entries({ server: serverLayers, client: clientLayers }).flatMap(([name, layers]) =>
  layers.slice(0, -1).map((rooms, index) => ({
    name: `${name}-${rooms.join('-and-')}-imports`,
    severity: 'error',
    from: { path: `^packages/${name}/src/(${rooms.join('|')})/` },
    to: {
      path: `^packages/${name}/src/(${layers
        .slice(index + 1)
        .flat()
        .join('|')})/`,
    },
  })),
);

const packageRules = Object.entries(mayImport).map(([name, allowed]) => ({
  name: `${name}-imports`,
  comment: `packages/${name} may import: ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: {
    path: '^(packages|examples|bench|scripts)/',
    pathNot: [name, ...allowed].map((other) => `^packages/${other}/src/`),
  },
}));

export default {
  forbidden: [
    ...packageRules,
    ...layerRules,
    {
      name: 'node-free-roots',
      comment: 'protocol, and the root entries of server, client, stores and guards, run where Node does not',
      severity: 'error',
      from: {
        path: '^packages/(protocol|server|client|stores|guards)/src/',
        pathNot: '^packages/[^/]+/src/(node|sqlite|postgres|redis)/',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'roots-do-not-reach-node-entries',
      severity: 'error',
      from: {
        path: '^packages/(protocol|server|client|stores|guards)/src/',
        pathNot: '^packages/[^/]+/src/(node|sqlite|postgres|redis)/',
      },
      to: { path: '^packages/[^/]+/src/(node|sqlite|postgres|redis)/' },
    },
    {
      name: 'no-deep-imports',
      comment: 'a package is reached through its exports, never through another package’s files',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot: ['^packages/$1/src/', entryFiles],
      },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'examples-use-public-entries',
      severity: 'error',
      from: { path: '^examples/' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot: entryFiles,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist)/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@switchyard/source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
