import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderConfiguration } from './configuration.ts';
import { renderConsoleApi } from './console-api.ts';

const PAGES = {
  '../configuration.md': renderConfiguration(),
  '../reference/console-api.md': renderConsoleApi(),
};

/** Writes the generated pages: `make docs`. */
for (const [page, text] of Object.entries(PAGES)) {
  writeFileSync(fileURLToPath(new URL(page, import.meta.url)), text);
}
