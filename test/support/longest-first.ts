import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, that one first. */
const LONGEST = [
  'test/integration/up.test.ts',
  'test/integration/outage.test.ts',
  'test/integration/failed-attempts.test.ts',
  'test/integration/money-replicas.test.ts',
  'test/integration/restore.test.ts',
  'test/integration/money-mixed.test.ts',
  'test/integration/four-protocols.test.ts',
  'test/integration/tags-and-use.test.ts',
  'test/integration/money-in.test.ts',
  'test/integration/fencing.test.ts',
  'test/integration/upstream-failures.test.ts',
  'services/ingress/src/credit/credit-desk.db.test.ts',
];

/**
 * Runs the longest files first and the short ones of the units last, so that no worker is left alone with a long one at
 * the end. The files of a project stay together: a worker that is given one of another project begins anew.
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
  if (file.project.name === 'unit') return LONGEST.length + 2;
  return file.moduleId.includes('/test/integration/') ? LONGEST.length : LONGEST.length + 1;
}
