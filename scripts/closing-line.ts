import type { Reporter, TestModule } from 'vitest/node';

/**
 * Vitest reporter that ends a run with the line `N passed, N failed` (and `, N skipped` where any were), which other
 * programs read. A test file that cannot be loaded and an unhandled error each count as one failure.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failed += 1;
        else skipped += 1;
      }
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
    // Written when the process ends, so that nothing follows it.
    process.once('exit', () => process.stdout.write(line));
  }
}
