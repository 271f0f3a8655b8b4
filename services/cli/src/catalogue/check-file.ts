import { catalogueFromText } from '@tollgate/router/catalogue/load';
import { CatalogueError, type Problem } from '@tollgate/router/catalogue/problem';

/** Replaces variables that are not set where the check runs; the router may run elsewhere. */
const UNSET_VARIABLE = 'http://unset.invalid';

export interface CheckedCatalogue {
  errors: readonly Problem[];
  warnings: readonly Problem[];
  providers: number;
  models: number;
  /** Variables of base URLs that are not set here. */
  unset: string[];
}

/** Checks a catalogue’s text as the router does. */
export function checkCatalogue(file: string, text: string, env: NodeJS.ProcessEnv): CheckedCatalogue {
  const unset = new Set<string>();
  const lookup = (name: string) => env[name] || collectUnset(unset, name);
  try {
    const { routes, warnings } = catalogueFromText(file, text, lookup);
    const { providers, models } = routes;
    return { errors: [], warnings, providers: providers.length, models: models.length, unset: [...unset] };
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return { errors: error.problems, warnings: [], providers: 0, models: 0, unset: [...unset] };
  }
}

function collectUnset(unset: Set<string>, name: string): string {
  unset.add(name);
  return UNSET_VARIABLE;
}
