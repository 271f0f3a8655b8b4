import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A catalogue of real providers, and the variables of their credentials. */
export interface StarterCatalogue {
  file: string;
  variables: string[];
}

/** The catalogues in a folder whose providers take their credentials from variables, in the order of their names. */
export function starterCatalogues(folder: string): StarterCatalogue[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => ({ file: join(folder, name), variables: variablesOf(readFileSync(join(folder, name), 'utf8')) }))
    .filter(({ variables }) => variables.length > 0);
}

function variablesOf(text: string): string[] {
  const { providers }: { providers: { api_key?: { env?: string } }[] } = parse(text);
  return [...new Set(providers.flatMap(({ api_key }) => api_key?.env ?? []))];
}
