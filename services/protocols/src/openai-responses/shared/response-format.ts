import type { ResponseFormat } from '../../canonical/request.ts';
import { encodeJsonSchemaFormat } from '../../canonical/strict-schema.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import type { ResponsesRequest } from './schema.ts';

type TextFormat = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

/** Reads `text.format`. */
export function decodeResponseFormat(format: TextFormat): ResponseFormat {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return {
        type: 'json-schema',
        name: format.name,
        schema: format.schema,
        ...(typeof format.description === 'string' && { description: format.description }),
        ...(typeof format.strict === 'boolean' && { strict: format.strict }),
      };
    default:
      return format satisfies never;
  }
}

/**
 * Writes it.
 *
 * @param at the client's name of it
 */
export function encodeResponseFormat(
  format: ResponseFormat,
  at: string | undefined,
  diagnostics: Diagnostics,
): JsonRecord {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'json-schema':
      return { type: 'json_schema', ...encodeJsonSchemaFormat(format, at, diagnostics) };
    default:
      return format satisfies never;
  }
}
