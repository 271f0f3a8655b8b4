import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProvider } from '@pydantic/genai-prices';
import { comparePrices } from './price-differences.ts';

/**
 * Compares the prices of catalogues with those of genai-prices: `compare-prices.ts [FILE...]`, without files the starter
 * catalogues. Prints what differs, and the models that genai-prices does not have.
 */
const STARTERS = fileURLToPath(new URL('../*.yaml', import.meta.url));

const given = process.argv.slice(2);
const day = new Date().toISOString().slice(0, 10);
for (const file of given.length > 0 ? given : globSync(STARTERS, { exclude: ['**/simulated.yaml'] }).sort()) {
  const text = readFileSync(file, 'utf8');
  const { differences, unknown } = comparePrices(text, (providerApiUrl) => findProvider({ providerApiUrl }), day);
  for (const line of differences) process.stdout.write(`${basename(file)}: ${line}\n`);
  if (unknown.length > 0) process.stdout.write(`${basename(file)}: not in genai-prices: ${unknown.join(', ')}\n`);
}
