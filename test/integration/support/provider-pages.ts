import { readFileSync } from 'node:fs';
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
const modelSchema = z.looseObject({
  id: z.string(),
  price: priceSchema,
  deployments: z.array(z.looseObject({ provider: z.string(), model: z.string().optional() })).min(1),
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
