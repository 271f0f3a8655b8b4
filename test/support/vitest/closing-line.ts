import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

/**
 * Prints the closing line of a test run, `N passed, N failed`. A file that could not be loaded, an error outside of
 * tests and a run without tests count as failures, but not where changed files affect no test.
 */
export class ClosingLine implements Reporter {
  #isFiltered = false;
  #mayBeEmpty = false;

  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
    this.#mayBeEmpty = vitest.config.related !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        // A skipped test fails the run, unless it was not selected.
        else if (state !== 'skipped' || !this.#isFiltered) failed += 1;
      }
    }
    if (passed + failed === 0 && !this.#mayBeEmpty) failed = 1;
    if (failed > 0) process.exitCode = 1;
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
