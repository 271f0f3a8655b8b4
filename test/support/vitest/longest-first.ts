import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files, in order. */
const LONGEST = [
  'test/integration/up.test.ts',
  'test/integration/money-replicas.test.ts',
  'services/ingress/src/wallet/credit/capped-holds.db.test.ts',
  'services/ingress/src/wallet/wallet.db.test.ts',
  'test/integration/money-mixed.test.ts',
  'services/ingress/src/edge/authenticate/authenticate.db.test.ts',
  'test/integration/outage.test.ts',
  'test/integration/spending-caps.test.ts',
  'test/integration/redis-troubles.test.ts',
  'test/integration/restore.test.ts',
  'services/ingress/src/edge/authenticate/revocation-watch.db.test.ts',
  'test/integration/upstream-failures.test.ts',
  'test/integration/four-protocols.test.ts',
  'test/integration/limits-flood.test.ts',
];

/** The longest unit tests. */
const LONGEST_UNIT = 'services/protocols/src/translate/linear.test.ts';

/**
 * Runs the longest files first and short unit tests last, so that no worker ends with a long one alone. Files of a
 * project stay together, because a worker reloads everything when the project changes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.map((file) => ({ file, rank: rankOf(file) }));
    ranked.sort((a, b) => a.rank - b.rank || a.file.moduleId.localeCompare(b.file.moduleId));
    return ranked.map(({ file }) => file);
  }
}

function rankOf(file: TestSpecification): number {
  const place = LONGEST.findIndex((path) => file.moduleId.endsWith(`/${path}`));
  if (place !== -1) return place;
  if (file.project.name === 'unit') return LONGEST.length + (file.moduleId.endsWith(`/${LONGEST_UNIT}`) ? 2 : 3);
  return file.moduleId.includes('/test/integration/') ? LONGEST.length : LONGEST.length + 1;
}
