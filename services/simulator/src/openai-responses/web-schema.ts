import { z } from 'zod';
import { fields } from '../validation/fields.ts';

/** Searches of the web: https://platform.openai.com/docs/guides/tools-web-search */

/** The types of the tool, as tools and as tool choices. */
export const WEB_SEARCH_TYPES = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
] as const;

/** Whether a type is one of them. */
export function isWebSearch(type: string): boolean {
  return WEB_SEARCH_TYPES.some((one) => one === type);
}

const location = fields({
  type: z.literal('approximate').optional(),
  city: z.string().nullish(),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'expected a two-letter country code')
    .nullish(),
  region: z.string().nullish(),
  timezone: z.string().nullish(),
}).nullish();
const shared = {
  search_context_size: z.enum(['low', 'medium', 'high']).optional(),
  search_content_types: z.array(z.enum(['text', 'image'])).optional(),
  user_location: location,
};
const domains = z.array(z.string().min(1)).max(100).nullish();

export const webSearchTool = fields({
  ...shared,
  type: z.enum(['web_search', 'web_search_2025_08_26']),
  external_web_access: z.boolean().optional(),
  // Sent by Codex; not in the public reference.
  index_gated_web_access: z.boolean().optional(),
  indexed_web_access: z.boolean().optional(),
  filters: fields({ allowed_domains: domains, blocked_domains: domains }).nullish(),
});
/** The earlier tool has no filters. */
export const webSearchPreviewTool = fields({
  ...shared,
  type: z.enum(['web_search_preview', 'web_search_preview_2025_03_11']),
});

/** An item of a use, as a response had it. Clients may leave out its id. */
export const webSearchCall = fields({
  type: z.literal('web_search_call'),
  id: z.string().regex(/^ws_/, "Expected an ID that begins with 'ws'").optional(),
  status: z.enum(['in_progress', 'searching', 'completed', 'failed', 'incomplete']).optional(),
  action: z
    .discriminatedUnion('type', [
      fields({
        type: z.literal('search'),
        query: z.string().optional(),
        queries: z.array(z.string()).optional(),
        sources: z.array(fields({ type: z.literal('url'), url: z.string() })).nullish(),
      }),
      fields({ type: z.literal('open_page'), url: z.string().nullish() }),
      fields({ type: z.literal('find_in_page'), url: z.string(), pattern: z.string() }),
    ])
    .nullish(),
});
