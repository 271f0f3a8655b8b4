import { fileURLToPath } from 'node:url';
import { Sources } from '@tollgate/test-support/mutations/plant';
import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PROTOCOL_FAULTS } from './mutations.ts';
import { CHOOSER } from './noticed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = new Sources(root);
for (const fault of PROTOCOL_FAULTS) sources.plantChoice(CHOOSER, fault.name, fault);

/** The file that checks what was noticed comes last. */
class ByPath extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId));
  }
}

/** `make protocol-test`: the unit tests of the protocols and of prices, with planted faults that they must notice. */
export default defineConfig({
  ...suiteConfig({
    name: 'protocols',
    include: [
      'services/protocols/**/*.test.ts',
      'services/common/src/billing/price-rules.test.ts',
      'services/ingress/src/shared/catalogue/request-price.test.ts',
      'services/ingress/src/handlers/models/render-price.test.ts',
      'test/protocols/planted.test.ts',
    ],
    // Long ones, which notice no fault that the others do not.
    exclude: [
      '**/node_modules/**',
      'services/protocols/src/translate/{cut-off,garbage,linear,long-lists,next-turn,pairs,pauses,requests}.test.ts',
    ],
    setupFiles: ['test/support/vitest/seeded-properties.ts'],
    runner: 'test/protocols/runner.ts',
    // One process, which knows at the end what was noticed.
    isolate: false,
    maxWorkers: 1,
    sequence: { sequencer: ByPath },
  }),
  plugins: [
    {
      name: 'planted faults',
      enforce: 'pre',
      load: (id) => sources.planted.get(id.slice(root.length)),
    },
  ],
});
