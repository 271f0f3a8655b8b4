import { readDocument } from '@tollgate/router/catalogue/document';
import { catalogueFromText } from '@tollgate/router/catalogue/load';
import { CatalogueError, type Finding, type Problem } from '@tollgate/router/catalogue/problem';
import { catalogueSchema } from '@tollgate/router/catalogue/schema';
import { type ComparedModel, type Comparison, compareWithSource, type SourceDifference } from './compare-source.ts';

/** Replaces variables that are not set where the check runs; the router may run elsewhere. */
const UNSET_VARIABLE = 'http://unset.invalid';

export interface CheckedCatalogue {
  errors: Problem[];
  warnings: Problem[];
  providers: number;
  models: number;
  /** Variables of base URLs that are not set here. */
  unset: string[];
}

export interface CheckOptions extends Comparison {
  env: NodeJS.ProcessEnv;
  /** Largest difference of a rate from the source that is not warned of, in parts per million. */
  tolerancePpm: bigint;
}

/** Checks a catalogue’s text as the router does, and its prices against the source. */
export function checkCatalogue(file: string, text: string, options: CheckOptions): CheckedCatalogue {
  const unset = new Set<string>();
  const lookup = (name: string) => options.env[name] || collectUnset(unset, name);
  try {
    const { routes, warnings } = catalogueFromText(file, text, lookup);
    return {
      errors: [],
      warnings: inOrder([...warnings, ...sourceWarnings(text, options)]),
      providers: routes.providers.length,
      models: routes.models.length,
      unset: [...unset],
    };
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return { errors: [...error.problems], warnings: [], providers: 0, models: 0, unset: [...unset] };
  }
}

function collectUnset(unset: Set<string>, name: string): string {
  unset.add(name);
  return UNSET_VARIABLE;
}

function sourceWarnings(text: string, options: CheckOptions): Problem[] {
  const read = readDocument(text);
  if (!read.ok) return [];
  const compared = compareWithSource(catalogueSchema.parse(read.document.value), options);
  return compared.flatMap((model) => findingsOf(model, options)).map(read.document.locate);
}

function findingsOf(model: ComparedModel, { today, tolerancePpm }: CheckOptions): Finding[] {
  const { known, path } = model;
  if (known === undefined) return [];
  if ('upstream' in known) {
    const message = `${known.provider} has no model ${known.upstream} in the price source: check its price by hand`;
    return [{ path: [...path, 'id'], message }];
  }
  const findings = model.differences
    .filter((difference) => isWorthAWarning(difference, tolerancePpm))
    .map((difference) => ({ path: difference.path, message: messageOf(difference) }));
  if (known.retired === undefined) return findings;
  const verb = known.retired <= today ? 'was retired' : 'will be retired';
  return [...findings, { path: [...path, 'id'], message: `${verb} by ${known.provider} on ${known.retired}` }];
}

/** Items and options without a rate are not sold, and a limit below the provider’s is a choice. */
function isWorthAWarning({ kind, file, source, ppm }: SourceDifference, tolerancePpm: bigint): boolean {
  switch (kind) {
    case 'rate':
      return ppm !== undefined && ppm > tolerancePpm;
    case 'tiers':
      return true;
    case 'option':
      return false;
    case 'limit':
      return source.split(' or ').every((limit) => Number(file) > Number(limit));
    default:
      return kind satisfies never;
  }
}

function messageOf({ field, file, source, sourceName }: SourceDifference): string {
  return `${field} is ${file}, but ${source} in ${sourceName}`;
}

function inOrder(problems: Problem[]): Problem[] {
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}
