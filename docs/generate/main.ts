import { writeFileSync } from 'node:fs';
import { renderPages } from './pages.ts';

/** Writes the generated pages: `make docs`. */
for (const [page, text] of Object.entries(renderPages())) writeFileSync(new URL(page, import.meta.url), text);
