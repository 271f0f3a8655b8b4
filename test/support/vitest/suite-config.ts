import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vitest/node';
import { ClosingLine } from './closing-line.ts';
import { FailedFiles } from './failed-files.ts';

/** The configuration of a suite with its own target in the Makefile. */
export function suiteConfig(suite: InlineConfig): { test: InlineConfig } {
  return {
    test: {
      root: fileURLToPath(new URL('../../..', import.meta.url)),
      reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      teardownTimeout: 30_000,
      ...suite,
    },
  };
}
