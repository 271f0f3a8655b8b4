import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderConfiguration } from './configuration.ts';
import { renderConsoleApi } from './console-api.ts';
import { renderPerformance } from './performance.ts';

const PAGES = {
  '../configuration.md': renderConfiguration(),
  '../operations/performance.md': renderPerformance(),
  '../reference/console-api.md': renderConsoleApi(),
};

/** Writes the generated pages: `make docs`. */
for (const [page, text] of Object.entries(PAGES)) {
  writeFileSync(fileURLToPath(new URL(page, import.meta.url)), text);
}
