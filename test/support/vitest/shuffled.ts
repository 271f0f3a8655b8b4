import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SEED = process.env['SHUFFLE'] ?? '';

/**
 * Runs files in a random order, determined by `SHUFFLE`. Files of a worker share modules, so leaked state fails in some
 * orders. Files of a project stay together, because a worker reloads everything when the project changes.
 */
export class Shuffled extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placed = files.map((file) => ({ file, place: `${file.project.name} ${draw(file.moduleId)}` }));
    return placed.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ file }) => file);
  }
}

function draw(moduleId: string): string {
  const path = moduleId.slice(process.cwd().length);
  return createHash('sha256').update(`${SEED} ${path}`).digest('hex');
}
