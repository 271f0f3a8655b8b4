import { expect, it } from 'vitest';
import { affectedBy } from './affected.ts';

const SOURCES = new Map([
  ['services/auth/src/handlers/create-key.ts', "import './arguments.ts';"],
  ['services/ingress/testing/ledger-process.ts', "new URL('../../ledger/src/main.ts', import.meta.url)"],
  ['deploy/images/start.test.ts', "new URL('start', import.meta.url)"],
  ['deploy/local/src/stack/services.ts', "'services/auth/src/main.ts'"],
  ['test/docs/codex.test.ts', "read('docs/clients/codex.md')"],
  ['test/docs/docs.test.ts', "filesNamed('**/*.md')"],
  ['test/docs/clients.test.ts', "join('docs/clients/', name)"],
  ['test/integration/sdk.test.ts', "import '@tollgate/test-support/gateway/gateway';"],
  ['test/ledger/mutations/ledger.ts', "file: 'store/charges.ts'"],
  ['test/support/gateway/stack.ts', "import '@tollgate/local';"],
]);

it.each([
  'package.json',
  'services/auth/package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'Makefile',
  'deploy/node-path',
  'proto/tollgate/auth/v1/auth.proto',
  'proto/generate.ts',
  'services/auth/migrations/0001-accounts-and-keys.sql',
])('a change of %s affects everything', (file) => {
  expect(affectedBy(['README.md', file], SOURCES)).toBe('everything');
});

it('code of a service affects what runs the services', () => {
  const running = [
    'services/ingress/testing/ledger-process.ts',
    'test/integration/sdk.test.ts',
    'test/support/gateway/stack.ts',
  ];
  const handler = 'services/auth/src/handlers/create-key.ts';
  expect(affectedBy([handler], SOURCES)).toEqual([handler, ...running].sort());
});

it('a test affects only what imports it', () => {
  const test = 'services/auth/src/handlers/create-key.test.ts';
  expect(affectedBy([test], SOURCES)).toEqual([test]);
});

it.each([
  ['docs/clients/codex.md', ['test/docs/codex.test.ts', 'test/docs/clients.test.ts', 'test/docs/docs.test.ts']],
  ['docs/clients/aider.md', ['test/docs/clients.test.ts', 'test/docs/docs.test.ts']],
  ['README.md', ['test/docs/docs.test.ts']],
  ['deploy/images/start', ['deploy/images/start.test.ts']],
  ['test/fuzz/store/charges.ts', ['test/ledger/mutations/ledger.ts']],
  ['LICENSE', []],
])('%s affects the sources that name it, its folder or its kind', (file, affected) => {
  expect(affectedBy([file], SOURCES)).toEqual([file, ...affected].sort());
});

it('no change affects nothing', () => {
  expect(affectedBy([], SOURCES)).toEqual([]);
});
