import type { CatalogueLine } from '@tollgate/proto/router';
import type { z } from 'zod';
import { expandBaseUrl, type VariableLookup } from './base-url.ts';
import { findUnknownDialects } from './check-dialects.ts';
import { checkEntries, type Indexed } from './check-entries.ts';
import { checkNames, type Names, namesSchema } from './check-names.ts';
import { checkVersions } from './check-versions.ts';
import { readDocument, type SourceDocument } from './document.ts';
import type { Finding, Problem } from './problem.ts';
import { catalogueSchema, modelSchema, providerSchema } from './schema.ts';
import { findSecrets } from './secrets.ts';
import { type Routes, toRoutes } from './to-routes.ts';

export interface ParseOptions {
  lookup: VariableLookup;
  /** The routes loaded before, whose price versions keep their rates. */
  before?: Routes | undefined;
}

/** A valid catalogue. */
export interface ParsedCatalogue {
  routes: Routes;
  /** Where each model is defined, in the order of the file. */
  lines: CatalogueLine[];
  /** The dialects that providers name, by the provider's id. */
  dialects: ReadonlyMap<string, string>;
  /** What does not prevent its use, such as an unknown dialect. */
  warnings: Problem[];
}

export type ParseResult = ({ ok: true } & ParsedCatalogue) | { ok: false; problems: Problem[] };

/** Maximum problems that are reported of one text. */
export const MAX_PROBLEMS = 1_000;

/** Reads a catalogue's text, YAML or JSON. Its problems are reported in the order of the text. */
export function parseCatalogue(text: string, options: ParseOptions): ParseResult {
  const read = readDocument(text);
  if (!read.ok) return { ok: false, problems: firstInOrder(read.problems) };
  const { document } = read;
  const secrets = document.locateOffsets(
    findSecrets(text),
    'looks like a credential: put it in a variable or file and refer to it',
  );
  const result = catalogueSchema.safeParse(document.value);
  const shape = result.success ? [] : result.error.issues.flatMap((issue) => findingsOf(issue, document));
  const names = namesSchema.catch({ providers: [], models: [] }).parse(document.value);
  const providers = goodEntries(listOf(document.value, 'providers'), providerSchema);
  const models = goodEntries(listOf(document.value, 'models'), modelSchema);
  const urls = expandBaseUrls(names.providers, options.lookup);
  const findings = [...shape, ...checkNames(names), ...checkEntries(providers, models), ...urls.findings];
  const problems = [...secrets, ...findings.map(document.locate)];
  if (problems.length > 0 || !result.success) return { ok: false, problems: firstInOrder(problems) };
  const routes = toRoutes(result.data, urls.byProvider);
  const isList = (model: number) => result.data.models[model]?.prices !== undefined;
  const renamed = checkVersions(routes.models, options.before?.models ?? [], isList);
  if (renamed.length > 0) return { ok: false, problems: firstInOrder(renamed.map(document.locate)) };
  const lines = result.data.models.map(({ id }, index) => ({
    modelId: id,
    line: document.locate({ path: ['models', index], message: '' }).line,
  }));
  const warnings = findUnknownDialects(result.data.providers).map(document.locate);
  const dialects = new Map(result.data.providers.flatMap(({ id, dialect }) => (dialect ? [[id, dialect]] : [])));
  return { ok: true, routes, lines, dialects, warnings };
}

/** The entries of a list that are valid on their own. */
function goodEntries<S extends z.ZodType>(list: readonly unknown[], schema: S): Indexed<z.output<S>>[] {
  return list.flatMap((item, index) => {
    const result = schema.safeParse(item);
    return result.success ? [{ index, entry: result.data }] : [];
  });
}

function expandBaseUrls(providers: Names['providers'], lookup: VariableLookup) {
  const findings: Finding[] = [];
  const byProvider = new Map<string, string>();
  for (const [index, entry] of providers.entries()) {
    if (entry.base_url === '') continue;
    const result = expandBaseUrl(entry.base_url, lookup);
    if (result.ok) byProvider.set(entry.id, result.url);
    else findings.push({ path: ['providers', index, 'base_url'], message: result.message });
  }
  return { findings, byProvider };
}

function findingsOf(issue: z.core.$ZodIssue, document: SourceDocument): Finding[] {
  const path = issue.path;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is an unknown field' }));
  }
  if (path.length > 0 && !document.has(path)) return [{ path, message: 'is missing' }];
  if (issue.code === 'invalid_key') return issue.issues.map((inner) => ({ path, message: inner.message }));
  return [{ path, message: issue.message }];
}

function listOf(value: unknown, key: string): readonly unknown[] {
  const list =
    typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key) : undefined;
  return Array.isArray(list?.[1]) ? list[1] : [];
}

function firstInOrder(problems: Problem[]): Problem[] {
  return problems.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS);
}
