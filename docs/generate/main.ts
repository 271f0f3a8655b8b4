import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderConfiguration } from './configuration.ts';

/** Writes the generated pages: `make docs`. */
writeFileSync(fileURLToPath(new URL('../configuration.md', import.meta.url)), renderConfiguration());
