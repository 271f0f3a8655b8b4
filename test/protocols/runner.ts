import fc from 'fast-check';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { withFaults } from './noticed.ts';

// A fault is noticed by few values, and which they are does not matter.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 20, endOnFailure: true });

/** Runs each test also with planted faults. */
// biome-ignore lint/style/noDefaultExport: Vitest imports it.
export default class FaultRunner extends TestRunner {
  runTask(test: RunnerTestCase): Promise<void> {
    return withFaults(test.name, TestRunner.getTestFn(test));
  }
}
