import { catalogueFromText, readCatalogueFile } from '../catalogue/load.ts';
import { CatalogueError, formatProblem } from '../catalogue/problem.ts';

/** Replaces variables that are not set where the check runs; the router may run elsewhere. */
const UNSET_VARIABLE = 'http://unset.invalid';

const USAGE = 'usage: node services/router/src/tasks/check-catalogue.ts FILE\n';

// Checks one catalogue file. Exit status: 0 valid, 1 invalid, 2 wrong usage.
const [file, ...rest] = process.argv.slice(2);
if (file === undefined || rest.length > 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await check(file);
}

async function check(path: string): Promise<number> {
  try {
    const text = await readCatalogueFile(path);
    const unset = new Set<string>();
    const lookup = (name: string) => process.env[name] || collectUnset(unset, name);
    const { routes, warnings } = catalogueFromText(path, text, lookup);
    const { providers, models } = routes;
    for (const warning of warnings) process.stderr.write(`warning: ${formatProblem(path, warning)}\n`);
    process.stdout.write(`ok: ${providers.length} providers, ${models.length} models\n`);
    if (unset.size > 0) process.stdout.write(`the router will need these variables: ${[...unset].join(', ')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

function collectUnset(unset: Set<string>, name: string): string {
  unset.add(name);
  return UNSET_VARIABLE;
}
