import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

/**
 * How a test file failed. `timing`: it may run again once, alone. `seeded`: an error names a seed that reproduces it,
 * so it is a finding even if it passes later. `unknown`: no file is known.
 */
export type FailureKind = 'timing' | 'seeded' | 'unknown';

/** Writes a line `kind file` per failed test file to the file in `FAILED_FILES`, for `.ci/run`. */
export class FailedFiles implements Reporter {
  #root = process.cwd();

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const path = process.env['FAILED_FILES'];
    if (path === undefined) return;
    const failures = new Map<string, SerializedError[]>();
    const add = (file: string, found: readonly SerializedError[]) =>
      failures.set(file, [...(failures.get(file) ?? []), ...found]);
    for (const module of modules) if (!module.ok()) add(module.moduleId, errorsOf(module));
    for (const error of errors) add(String(error['VITEST_TEST_PATH'] ?? ''), [error]);
    for (const [file, found] of failures) {
      const kind: FailureKind = file === '' ? 'unknown' : failureKind(found);
      appendFileSync(path, `${kind} ${file === '' ? '-' : relative(this.#root, file)}\n`);
    }
  }
}

/** Whether errors of a test file are a finding: their text names a seed, like fast-check's and `seededMessage`. */
export function failureKind(errors: readonly SerializedError[]): FailureKind {
  return errors.some(({ message, stack }) => SEEDED.test(`${message}\n${stack}`)) ? 'seeded' : 'timing';
}

const SEEDED = /\bseed\s*[:=]\s*-?\d/i;

function errorsOf(module: TestModule): SerializedError[] {
  const all: SerializedError[] = [...module.errors()];
  for (const suite of module.children.allSuites()) all.push(...suite.errors());
  for (const test of module.children.allTests()) all.push(...(test.result().errors ?? []));
  return all;
}
