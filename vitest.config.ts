import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.ts';

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    maxWorkers: 2,
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{proto,services,deploy,test,bench}/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            '**/*.db.test.ts',
            'test/integration/**',
            'test/sdk/**',
            'test/faults/*.test.ts',
            'test/ledger/*.test.ts',
            'test/load/*.test.ts',
            'test/revocation/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{services,deploy,test,bench}/**/*.db.test.ts', 'test/integration/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
