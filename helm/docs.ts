import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readmeOf } from './readme.ts';

/** Writes the chart's README.md from its values.yaml: `make docs`. */
const chart = fileURLToPath(new URL('tollgate/', import.meta.url));
writeFileSync(`${chart}README.md`, readmeOf(readFileSync(`${chart}values.yaml`, 'utf8')));
