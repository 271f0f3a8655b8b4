import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { decisionFor, readDecisions } from '../decisions.ts';
import { disagreements } from '../disagreements.ts';
import {
  EXTRACT,
  formatPriceSource,
  type PriceSource,
  readPriceSource,
  type SourceFacts,
  SourceIndex,
  type SourceModel,
  type SourceProvider,
  sourceProvidersSchema,
} from '../price-source.ts';
import { updatePrices } from '../starter-prices.ts';
import { type GenaiModel, parseGenaiPrices } from './genai-prices.ts';
import { parseLitellm } from './litellm.ts';

const USAGE = `usage: node services/cli/src/catalogue/source/refresh.ts [GENAI_PRICES LITELLM]

Writes deploy/catalogue/source/prices.jsonl from the unpacked wheels of genai-prices and litellm, if they are given, and the
prices of the starter catalogues from it. Prints what the sources disagree on and no decision covers.
`;

const PROVIDERS = new URL('providers.yaml', EXTRACT);

/** Text of a file of an unpacked wheel. */
function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

function versionOf(folder: string): string {
  const [metadata] = globSync('*.dist-info/METADATA', { cwd: folder });
  const version = metadata === undefined ? undefined : /^Version: (.+)$/m.exec(read(folder, metadata))?.[1];
  if (version === undefined) throw new Error(`${folder} is no unpacked wheel`);
  return version;
}

function modelsOf(
  provider: SourceProvider,
  genai: readonly GenaiModel[],
  litellm: ReadonlyMap<string, SourceFacts>,
): SourceModel[] {
  const models = new Map<string, SourceModel>();
  for (const { id, aliases, facts } of genai) {
    models.set(id.toLowerCase(), {
      provider: provider.id,
      id,
      ...(aliases.length > 0 && { aliases }),
      'genai-prices': facts,
    });
  }
  for (const [name, facts] of litellm) {
    const id = withoutPrefix(name, provider.model_prefix ?? '');
    const known = models.get(id.toLowerCase());
    if (known === undefined) models.set(id.toLowerCase(), { provider: provider.id, id, litellm: facts });
    else if (known.litellm === undefined || id !== name) known.litellm = facts;
  }
  return [...models.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function extract(genaiFolder: string, litellmFolder: string): PriceSource {
  const genai = parseGenaiPrices(read(genaiFolder, 'genai_prices/data.py'));
  const litellm = parseLitellm(read(litellmFolder, 'litellm/model_prices_and_context_window_backup.json'));
  const providers = sourceProvidersSchema.parse(parse(readFileSync(PROVIDERS, 'utf8')));
  return {
    read: new Date().toISOString().slice(0, 10),
    sources: [
      { name: 'genai-prices', version: versionOf(genaiFolder), license: 'MIT' },
      { name: 'litellm', version: versionOf(litellmFolder), license: 'MIT' },
    ],
    providers,
    models: providers.flatMap((provider) =>
      modelsOf(
        provider,
        genai.get(provider.genai_prices ?? '') ?? [],
        litellm.get(provider.litellm ?? '') ?? new Map<string, SourceFacts>(),
      ),
    ),
  };
}

/** Writes the prices of the starter catalogues, and returns what nobody decided. */
function updateStarters(source: PriceSource): string[] {
  const index = new SourceIndex(source);
  const decisions = readDecisions();
  const folder = fileURLToPath(new URL('..', EXTRACT));
  return globSync('*.yaml', { cwd: folder }).flatMap((file) => {
    const path = join(folder, file);
    const { text, models } = updatePrices(readFileSync(path, 'utf8'), index, decisions, source.read);
    writeFileSync(path, text);
    return models.flatMap(({ id, source: model }) => {
      if (model === undefined || decisionFor(decisions, model) !== undefined) return [];
      return disagreements(model, source.read).map(
        (found) => `${file}: ${id}: ${found.rate}: genai-prices ${found['genai-prices']}, litellm ${found.litellm}`,
      );
    });
  });
}

const [genaiFolder, litellmFolder, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (genaiFolder !== undefined && litellmFolder === undefined)) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  if (genaiFolder !== undefined && litellmFolder !== undefined)
    writeFileSync(EXTRACT, formatPriceSource(extract(genaiFolder, litellmFolder)));
  const source = readPriceSource();
  process.stdout.write(`${source.models.length} models of ${source.providers.length} providers\n`);
  const undecided = updateStarters(source);
  for (const line of undecided) process.stderr.write(`undecided: ${line}\n`);
  if (undecided.length > 0) process.exitCode = 1;
}
