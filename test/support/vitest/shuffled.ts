import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SEED = process.env['SHUFFLE'] ?? '';

/**
 * Runs files in an order of chance, the same for each value of `SHUFFLE`. Files of a worker share modules, so one that
 * leaves something behind, or needs what another left, shows in one order and not in the next. Those of a project stay
 * together, as a worker that is given one of another project begins again.
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
