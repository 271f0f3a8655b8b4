import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { parse } from 'yaml';
import { z } from 'zod';

const priceSchema = z.looseObject({ input: z.number(), output: z.number() });
const entrySchema = z.looseObject({
  id: z.string(),
  protocol: z.enum(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini']),
  base_url: z.string(),
  auth: z.enum(['bearer', 'x-api-key', 'x-goog-api-key', 'none']),
  api_key: z.object({ env: z.string() }).optional(),
});
const deploymentsSchema = z.array(z.looseObject({ provider: z.string(), model: z.string().optional() })).min(1);
const modelSchema = z.looseObject({ id: z.string(), price: priceSchema, deployments: deploymentsSchema });
const starterSchema = z.looseObject({
  providers: z.array(entrySchema),
  models: z.array(z.looseObject({ deployments: deploymentsSchema })),
});
const catalogueSchema = z.object({
  version: z.literal(1),
  providers: z.array(entrySchema).min(1),
  models: z.array(modelSchema).length(1),
});

/** A provider entry as on the page. */
export type PageEntry = z.output<typeof entrySchema>;
/** The example of the page: the provider's entries and one model. */
export type PageCatalogue = z.output<typeof catalogueSchema>;

/** The text of docs/providers/<name>.md. */
export function providerPage(name: string): string {
  return readFileSync(join(CHECKOUT, `docs/providers/${name}.md`), 'utf8');
}

/** The YAML under the heading "Catalogue entry" of a page. */
export function catalogueText(page: string): string {
  const found = /\n## Catalogue entry\n[\s\S]*?\n```yaml\n([\s\S]*?)\n```/.exec(page)?.[1];
  if (found === undefined) throw new Error('the page has no catalogue entry');
  return found;
}

/** The same, parsed. */
export function catalogueOf(page: string): PageCatalogue {
  return catalogueSchema.parse(parse(catalogueText(page)));
}

/** A provider entry, and how a model is deployed there. */
export interface DeployedEntry {
  entry: PageEntry;
  deployment: z.output<typeof deploymentsSchema>[number];
}

/** The entry with this id on a page, or in the provider's starter catalogue. */
export function deployedEntry(provider: string, id: string): DeployedEntry {
  const text = catalogueText(providerPage(provider));
  const found = entryIn(text, id) ?? entryIn(starterText(provider), id);
  if (found === undefined) throw new Error(`no catalogue of ${provider} has an entry and a deployment of ${id}`);
  return found;
}

function entryIn(text: string, id: string): DeployedEntry | undefined {
  const { providers, models } = starterSchema.parse(parse(text));
  const entry = providers.find((each) => each.id === id);
  const deployment = models.flatMap(({ deployments }) => deployments).find(({ provider }) => provider === id);
  return entry === undefined || deployment === undefined ? undefined : { entry, deployment };
}

/** A starter catalogue, with some address in place of the variable with the server's. */
function starterText(provider: string): string {
  const folder = join(CHECKOUT, 'deploy/catalogue');
  const [file] = [`${provider}.yaml`, `local/${provider}.yaml`].map((name) => join(folder, name)).filter(existsSync);
  return file === undefined
    ? '{ providers: [], models: [] }'
    : readFileSync(file, 'utf8').replaceAll(/\$\{\w+\}/g, 'http://server');
}
