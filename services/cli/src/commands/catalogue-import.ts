import { existsSync, readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Comparison } from '../catalogue/compare-source.ts';
import { chosenFacts } from '../catalogue/decisions.ts';
import { catalogueId, type ImportedModel, isPriced, modelYaml } from '../catalogue/model-yaml.ts';
import { EXTRACT, type SourceProvider } from '../catalogue/price-source.ts';
import { fetchModels } from '../catalogue/provider-list.ts';
import { CommandFailure, UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { readComparison } from './read-catalogue.ts';

interface ImportOptions extends GlobalOptions {
  provider: string;
  from: 'source' | 'provider';
  baseUrl?: string;
}

export function addCatalogueImportCommand(catalogue: Command, io: Io): void {
  catalogue
    .command('import')
    .description(
      'print a catalogue with the named models, their limits and prices, from public prices or the provider’s own list',
    )
    .argument('<model...>', 'names of models at the provider')
    .requiredOption('--provider <id>', 'the provider, such as groq')
    .addOption(
      new Option('--from <where>', 'public prices, or the list of models at the provider')
        .choices(['source', 'provider'])
        .default('source'),
    )
    .option('--base-url <url>', 'another address of the provider')
    .action(async (names: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const comparison = readComparison(io);
      const { providers, read } = comparison.index.source;
      const provider = providers.find(({ id }) => id === options.provider);
      if (provider === undefined) {
        const known = providers.map(({ id }) => id).join(', ');
        throw new UsageFailure(`there is no provider ${options.provider}; those known are ${known}`);
      }
      const starter = atAddress(readStarter(provider.id), options.baseUrl);
      const unique = [...new Set(names)];
      const models =
        options.from === 'source'
          ? fromSource(unique, provider, comparison, read)
          : await fromProvider(unique, starter, options, io, comparison.today);
      const entries = models.map((model) => ({
        id: catalogueId(provider, model.upstream),
        model: model.upstream,
        priced: isPriced(model, comparison.today),
        from: model.from,
        yaml: modelYaml(model, provider, starter.id, comparison.today),
      }));
      print(io, options, {
        json: { provider: provider.id, models: entries },
        text: `version: 1\n\n${starter.text}\nmodels:\n${entries.map(({ yaml }) => yaml).join('\n')}`,
      });
    });
}

const starterSchema = z.object({
  providers: z
    .array(
      z.object({
        id: z.string(),
        base_url: z.string(),
        auth: z.string().default('bearer'),
        api_key: z.object({ env: z.string() }).optional(),
      }),
    )
    .min(1),
});

interface Starter {
  /** Of the provider that models are called through. */
  id: string;
  baseUrl: string;
  auth: string;
  variable?: string;
  /** The section `providers` of the file. */
  text: string;
}

/** The providers of a starter catalogue. */
function readStarter(id: string): Starter {
  const file = new URL(`../${id}.yaml`, EXTRACT);
  if (!existsSync(file)) throw new CommandFailure(`there is no starter catalogue of ${id}`);
  const text = readFileSync(file, 'utf8');
  const [first] = starterSchema.parse(parse(text)).providers;
  const section = /^providers:\n(?:(?: .*)?\n)*/m.exec(text)?.[0];
  if (first === undefined || section === undefined)
    throw new CommandFailure(`the starter catalogue of ${id} has no providers`);
  const variable = first.api_key?.env;
  return {
    id: first.id,
    baseUrl: first.base_url,
    auth: first.auth,
    ...(variable !== undefined && { variable }),
    text: `${section.trimEnd()}\n`,
  };
}

/** The starter with another address of the provider that models are called through. */
function atAddress(starter: Starter, baseUrl: string | undefined): Starter {
  if (baseUrl === undefined) return starter;
  if (!URL.canParse(baseUrl)) throw new UsageFailure(`${baseUrl} is no URL`);
  const text = starter.text.replace(`base_url: ${starter.baseUrl}\n`, () => `base_url: ${baseUrl}\n`);
  return { ...starter, baseUrl, text };
}

function fromSource(
  names: readonly string[],
  provider: SourceProvider,
  { index, decisions }: Comparison,
  read: string,
): ImportedModel[] {
  const found = names.map((name) => ({ name, model: index.model(provider, name) }));
  const missing = found.flatMap(({ name, model }) => (model === undefined ? [name] : []));
  if (missing.length > 0) {
    throw new CommandFailure(
      `${provider.id} has no model ${missing.join(', ')} in the source of ${read}: try --from provider, or write the entry by hand`,
    );
  }
  return found.flatMap(({ name, model }) => {
    const chosen = model === undefined ? undefined : chosenFacts(model, decisions);
    if (model === undefined || chosen === undefined) return [];
    const { prices, options } = chosen.facts;
    const known = { ...model.litellm, ...withoutUndefined(model['genai-prices']) };
    const facts = { ...known, prices, ...(options !== undefined && { options }) };
    return [{ upstream: name, facts, from: `From ${chosen.name}, read on ${read}` }];
  });
}

function withoutUndefined<T extends object>(value: T | undefined): Partial<T> {
  return value ?? {};
}

function credentialHeaders(auth: string, credential: string | undefined): Record<string, string> {
  if (credential === undefined) return {};
  return auth === 'bearer' ? { authorization: `Bearer ${credential}` } : { [auth]: credential };
}

async function fromProvider(
  names: readonly string[],
  starter: Starter,
  { provider }: ImportOptions,
  io: Io,
  today: string,
): Promise<ImportedModel[]> {
  const { variable } = starter;
  const credential = variable === undefined ? undefined : io.env[variable] || undefined;
  const isSet = credential === undefined ? 'not set' : 'set';
  const credentialNote = variable === undefined ? '' : `; the credential is read from ${variable}, which is ${isSet}`;
  const listed = new Map(
    (await fetchModels(starter.baseUrl, credentialHeaders(starter.auth, credential), credentialNote)).map((model) => [
      model.id,
      model,
    ]),
  );
  const missing = names.filter((name) => !listed.has(name));
  if (missing.length > 0) throw new CommandFailure(`the list of ${provider} has no model ${missing.join(', ')}`);
  return names.flatMap((upstream) => {
    const model = listed.get(upstream);
    if (model === undefined) return [];
    const { name, facts } = model;
    return [
      { upstream, ...(name !== undefined && { name }), facts, from: `From the list of ${provider}, read on ${today}` },
    ];
  });
}
