// Who may import whom. docs/design/packages.md shows the table, and a test holds it, the manifests and the references of
// the builds against this one; `npm run check` also plants a forbidden import to prove that this file still catches one.

export const mayImport = {
  protocol: [],
  stores: ['protocol'],
  guards: [],
  config: [],
  server: ['protocol', 'stores'],
  client: ['protocol', 'guards'],
  host: ['client', 'guards', 'stores', 'protocol', 'config'],
  gateway: ['host', 'server', 'config', 'protocol'],
  testing: ['server', 'client', 'protocol', 'guards'],
  cli: ['client', 'config', 'gateway', 'guards', 'host', 'protocol', 'server', 'testing'],
};

// Which rooms of `packages/server/src` never import which others: ARCHITECTURE.md says what is in each.
const serverRooms = {
  schema: ['handler', 'definition', 'dispatch', 'input', 'effects', 'tasks', 'apps', 'skills'],
  handler: ['definition', 'dispatch', 'input', 'effects', 'tasks', 'apps', 'skills'],
  definition: ['input', 'effects', 'tasks', 'apps', 'skills'],
  effects: ['input', 'tasks', 'apps', 'skills'],
  input: ['tasks', 'apps', 'skills'],
};

const roomRules = Object.entries(serverRooms).map(([room, others]) => ({
  name: `server-${room}-imports`,
  severity: 'error',
  from: { path: `^packages/server/src/${room}/` },
  to: { path: `^packages/server/src/(${others.join('|')})/` },
}));

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
    ...roomRules,
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
        pathNot: [
          '^packages/$1/src/',
          '^packages/[^/]+/src/((node|sqlite|postgres|redis|schema|authorization)/)?index\\.ts$',
        ],
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
        pathNot: '^packages/[^/]+/src/((node|sqlite|postgres|redis|schema|authorization)/)?index\\.ts$',
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
