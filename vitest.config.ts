import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{proto,services,deploy,test,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.db.test.ts', 'test/integration/**'],
        },
      },
    ],
  },
});
