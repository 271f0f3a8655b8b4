import { z } from 'zod';
import { anyObject, fields } from '../validation/fields.ts';

/**
 * Tools that search the web and fetch pages: https://ai.google.dev/gemini-api/docs/google-search,
 * https://ai.google.dev/gemini-api/docs/url-context
 */

const TOOL_TYPES = ['GOOGLE_SEARCH_WEB', 'GOOGLE_SEARCH_IMAGE', 'URL_CONTEXT', 'GOOGLE_MAPS', 'FILE_SEARCH'] as const;

export const googleSearch = fields({
  searchTypes: fields({ webSearch: fields({}).optional(), imageSearch: fields({}).optional() }).optional(),
  timeRangeFilter: fields({ startTime: z.iso.datetime().optional(), endTime: z.iso.datetime().optional() }).optional(),
  // Of Vertex AI.
  excludeDomains: z.array(z.string()).optional(),
  blockingConfidence: z.string().optional(),
});

export const urlContext = fields({});

/** The use of a tool that Google ran, and its result: https://ai.google.dev/gemini-api/docs/tool-combination */
export const toolCall = fields({ id: z.string(), toolType: z.enum(TOOL_TYPES), args: anyObject.optional() });
export const toolResponse = fields({ id: z.string(), toolType: z.enum(TOOL_TYPES), response: anyObject.optional() });
