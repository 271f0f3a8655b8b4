import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';
import { catalogueId, modelYaml } from '../catalogue/model-yaml.ts';
import { fetchModels, type ListedModel } from '../catalogue/provider-list.ts';
import { CommandFailure, UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface ImportOptions extends GlobalOptions {
  provider: string;
  baseUrl?: string;
}

export function addCatalogueImportCommand(catalogue: Command, io: Io): void {
  catalogue
    .command('import')
    .description(
      'print a catalogue with the named models, their limits and prices, as far as the provider’s own list of models has them',
    )
    .argument('<model...>', 'names of models at the provider')
    .requiredOption('--provider <id>', 'the provider, such as groq')
    .option('--base-url <url>', 'another address of the provider')
    .action(async (names: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const { provider, baseUrl } = options;
      const starter = atAddress(readStarter(provider), baseUrl);
      const today = new Date(io.now()).toISOString().slice(0, 10);
      const from = `From the list of ${provider}, read on ${today}`;
      const entries = (await listedModels([...new Set(names)], starter, provider, io)).map((model) => {
        const id = catalogueId(provider, model.id);
        const yaml = modelYaml(model, id, starter.id, from);
        return { id, model: model.id, priced: model.rates !== undefined, from, yaml };
      });
      print(io, options, {
        json: { provider, models: entries },
        text: `version: 1\n\n${starter.text}\nmodels:\n${entries.map(({ yaml }) => yaml).join('\n')}`,
      });
    });
}

/** The starter catalogues. */
const STARTERS = fileURLToPath(new URL('../../../../deploy/catalogue/', import.meta.url));

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
  const files = globSync('*.yaml', { cwd: STARTERS });
  if (!files.includes(`${id}.yaml`)) {
    const known = files.map((file) => basename(file, '.yaml')).filter((name) => name !== 'simulated');
    throw new UsageFailure(`there is no provider ${id}; those known are ${known.sort().join(', ')}`);
  }
  const text = readFileSync(join(STARTERS, `${id}.yaml`), 'utf8');
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

function credentialHeaders(auth: string, credential: string | undefined): Record<string, string> {
  if (credential === undefined) return {};
  return auth === 'bearer' ? { authorization: `Bearer ${credential}` } : { [auth]: credential };
}

async function listedModels(
  names: readonly string[],
  { baseUrl, auth, variable }: Starter,
  provider: string,
  io: Io,
): Promise<ListedModel[]> {
  const credential = variable === undefined ? undefined : io.env[variable] || undefined;
  const isSet = credential === undefined ? 'not set' : 'set';
  const credentialNote = variable === undefined ? '' : `; the credential is read from ${variable}, which is ${isSet}`;
  const listed = await fetchModels(baseUrl, credentialHeaders(auth, credential), credentialNote);
  const byName = new Map(listed.map((model) => [model.id, model]));
  const missing = names.filter((name) => !byName.has(name));
  if (missing.length > 0) throw new CommandFailure(`the list of ${provider} has no model ${missing.join(', ')}`);
  return names.flatMap((name) => byName.get(name) ?? []);
}
