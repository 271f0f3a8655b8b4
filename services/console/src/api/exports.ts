import { z } from 'zod';
import { StreamedResponse } from './operation.ts';

export const exportFormat = z
  .enum(['csv', 'json'])
  .describe('`csv`: RFC 4180, with a header line. `json`: one object a line.');

/** A file in one of the formats. One that exceeds its limits loses its connection. */
export function exported(row: z.ZodType): StreamedResponse {
  return new StreamedResponse({ 'text/csv': null, 'application/x-ndjson': row });
}
