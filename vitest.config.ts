import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Not `import`: vitest passes these to Node as flags, and a CommonJS package that requires another would get its ES module.
const conditions = ['@switchyard/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
    pool: 'forks',
    // Many tests wait more than they work, so that a machine of two cores has time for two of them; the default is one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    execArgv: ['--conditions=@switchyard/source'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './scripts/closing-line.ts'],
  },
});
